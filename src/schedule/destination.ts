/** Where a schedule's result goes. Checked when it is saved, and by every try to send. */
import type { Config } from '../config/schema.ts'
import type { Address, UserKey } from '../protocol/address.ts'
import { AppError } from '../protocol/errors.ts'
import { chatState } from '../store/repositories/chats.ts'
import { sessionsOfChat } from '../store/repositories/sessions.ts'
import type { Db } from '../store/store.ts'

const ROBOT = 'robot:'

/** A destination as people write it. `robot:<name>` is a group robot of a WeCom bot. */
export interface WrittenDestination {
  readonly bot: string
  readonly chat: string
  readonly thread?: string | undefined
  /** Only needed for direct chats that the service has not seen yet. */
  readonly type?: 'group' | 'direct' | undefined
}

/** What is configured, as far as destinations need it. */
export interface KnownBots {
  readonly ids: readonly string[]
  /** Names of the bot's group robots; empty on platforms without them. */
  robots(botId: string): readonly string[]
}

export interface DestinationQuestion {
  readonly to: WrittenDestination
  /** Undefined for the configuration, whose author may name any chat. */
  readonly asker?: { readonly address: Address; readonly user: UserKey; readonly isAdmin: boolean }
}

/**
 * Resolves and checks a destination. Rejects with `schedule.bot`, `schedule.robot`, `schedule.chat`
 * (unknown or left) or `schedule.other_chat` (only administrators may push into other chats).
 */
export async function resolveDestination(
  db: Db,
  bots: KnownBots,
  { to, asker }: DestinationQuestion,
): Promise<Address> {
  checkDestination(bots, to)
  if (asker && !asker.isAdmin && !isSameChat(asker.address, to)) {
    throw new AppError('schedule.other_chat', 'only administrators may push into another chat', {
      hint: 'Create the schedule in the chat that shall get the result.',
    })
  }
  if (to.chat.startsWith(ROBOT)) return { botId: to.bot, chatId: to.chat, chatType: 'group' }
  if (asker && isSameChat(asker.address, to)) return asker.address
  return chatAddress(db, to, asker === undefined)
}

/** Throws `schedule.chat_gone` when the bot was removed from the chat, or the chat was dissolved. */
export async function requirePresent(db: Db, address: Address): Promise<void> {
  const state = await chatState(db, address.botId, address.chatId)
  if (state === undefined || state === 'present') return
  throw new AppError('schedule.chat_gone', `the chat ${address.chatId} is ${state}`, {
    hint: 'Add the bot to the chat again, then resume the schedule.',
    params: { chat: address.chatId },
  })
}

/** The bots of a configuration, as destinations need them. */
export function knownBots(configs: Config['bots']): KnownBots {
  return {
    ids: configs.map((config) => config.id),
    robots: (botId) => {
      const config = configs.find((one) => one.id === botId)
      return config && 'groupRobots' in config ? Object.keys(config.groupRobots) : []
    },
  }
}

/** What can be said of a destination without the store: throws `schedule.bot` or `schedule.robot`. */
export function checkDestination(bots: KnownBots, to: WrittenDestination): void {
  if (!bots.ids.includes(to.bot)) {
    throw new AppError('schedule.bot', `there is no bot "${to.bot}"`, {
      hint: `Write the id of a configured bot: ${bots.ids.join(', ') || 'none'}.`,
      params: { bot: to.bot, known: bots.ids.join(', ') || '—' },
    })
  }
  if (to.chat.startsWith(ROBOT)) requireRobot(bots, to)
}

function requireRobot(bots: KnownBots, to: WrittenDestination): void {
  const name = to.chat.slice(ROBOT.length)
  const known = bots.robots(to.bot)
  if (!known.includes(name)) {
    throw new AppError('schedule.robot', `bot ${to.bot} has no group robot "${name}"`, {
      hint: `Put its key under groupRobots of the bot. Known: ${known.join(', ') || 'none'}.`,
      params: { name, known: known.join(', ') || '—' },
    })
  }
}

async function chatAddress(db: Db, to: WrittenDestination, trusted: boolean): Promise<Address> {
  const [session] = await sessionsOfChat(db, to.bot, to.chat)
  const known = session !== undefined || (await chatState(db, to.bot, to.chat)) !== undefined
  if (!known && !trusted) {
    throw new AppError('schedule.chat', `the bot ${to.bot} knows no chat "${to.chat}"`, {
      hint: 'Say something to the bot in that chat first; /whoami there shows its id.',
      params: { chat: to.chat },
    })
  }
  const address: Address = {
    botId: to.bot,
    chatId: to.chat,
    chatType: session?.chat_type ?? to.type ?? 'group',
    ...(to.thread === undefined ? {} : { threadId: to.thread }),
  }
  await requirePresent(db, address)
  return address
}

function isSameChat(address: Address, to: WrittenDestination): boolean {
  return address.botId === to.bot && address.chatId === to.chat
}
