import {
  type AppInfo,
  createFeishuSimulator,
  type FeishuSimulator,
  type TranscriptMessage,
  type UserInfo,
} from '../../../adapters/feishu/simulator/index.ts'
import type { Clock } from '../../../src/protocol/ports.ts'
import { createSystemRandom } from '../../../src/system/random.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import type { Company, Person, Shown } from './company.ts'

export type FeishuPerson = Person & UserInfo

export interface FeishuCompany extends Company {
  readonly simulator: FeishuSimulator
  readonly bot: AppInfo
  readonly people: {
    readonly admin: FeishuPerson
    readonly member: FeishuPerson
    readonly other: FeishuPerson
  }
}

const FINAL = /已完成|已停止|未完成/

/** 王芳 is the administrator; 张三 and 李四 are not. */
export async function openFeishuCompany(clock: Clock): Promise<FeishuCompany> {
  const simulator = await createFeishuSimulator({
    clock,
    random: createSystemRandom(),
    logger: createCollectingLogger(),
  })
  const { control } = simulator
  const bot = control.createApp({ name: '驿站' })
  const person = (name: string): FeishuPerson => {
    const user = control.createUser({ name })
    return { ...user, id: user.userId, key: `feishu:${control.openId(user.userId, bot.appId)}` }
  }
  const people = { admin: person('王芳'), member: person('张三'), other: person('李四') }
  const addGroup = (name: string, members: readonly Person[]): string =>
    control.createChat({ name, members: members.map(({ id }) => id), bots: [bot.appId] })
  const chatId = addGroup('测试群', Object.values(people))
  const shown = (chat = chatId): readonly Shown[] =>
    control
      .transcript(chat)
      .filter((message) => message.sender.kind === 'bot' && !message.recalled)
      .map((message) => shownOf(simulator, message))
  return {
    platform: 'feishu',
    botYaml: `{ id: ops, platform: feishu, appId: ${bot.appId}, appSecret: "${bot.appSecret}", domain: "${simulator.url}" }`,
    simulator,
    bot,
    people,
    chatId,
    chats: () => control.chats().map((chat) => chat.chatId),
    addGroup,
    direct: (who) => control.openDirect(who.id, bot.appId),
    say: async (text, { from = people.member, chatId: chat = chatId, plain = false } = {}) => {
      const isDirect = control.chat(chat).mode === 'p2p'
      return control.say(chat, from.id, plain || isDirect ? text : [{ at: bot.appId }, ` ${text}`])
    },
    recall: async (messageId, from) => control.recall(messageId, from.id),
    press: async (messageId, label, from) => {
      const outcome = await control.click({ userId: from.id, messageId, on: label })
      return outcome.card === undefined ? 'unchanged' : 'changed'
    },
    shown,
    finals: (chat) => shown(chat).filter((message) => message.finished && FINAL.test(message.text)),
    online: () => control.connections(bot.appId) > 0,
    redeliver: (messageId) => control.faults.redeliver(messageId),
    onChange: (listener) => control.onChange(listener),
    stop: () => simulator.stop(),
  }
}

function shownOf({ control }: FeishuSimulator, message: TranscriptMessage): Shown {
  const file = control.fileBytes(message.fileKeys[0] ?? '')
  return {
    id: message.messageId,
    text: message.text,
    buttons: buttonsIn(message.content),
    ...(file ? { file } : {}),
    finished: message.card?.streaming !== true,
  }
}

/** Labels of pressable buttons anywhere in a card's JSON. */
function buttonsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(buttonsIn)
  if (typeof node !== 'object' || node === null) return []
  const { tag, text, disabled } = node as { tag?: unknown; text?: { content?: unknown }; disabled?: unknown }
  if (tag === 'button') return disabled === true ? [] : [String(text?.content ?? '')]
  return Object.values(node).flatMap(buttonsIn)
}
