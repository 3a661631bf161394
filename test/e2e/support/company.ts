/** A simulated company with one bot, seen through its people's eyes; the same questions on every platform. */
import type { UserKey } from '../../../src/protocol/address.ts'

export interface Person {
  /** The platform's own id. */
  readonly id: string
  readonly name: string
  readonly key: UserKey
}

/** A message of the bot as it looks now. */
export interface Shown {
  readonly id: string
  /** Everything that can be read in it, file names included. */
  readonly text: string
  /** Labels of the buttons that can still be pressed. */
  readonly buttons: readonly string[]
  readonly file?: { readonly name: string; readonly bytes: Buffer }
  /** False while the platform still shows it as being written. */
  readonly finished: boolean
}

export interface Company {
  readonly platform: 'feishu' | 'wecom'
  /** The bot's entry of `bots` in `yizhan.yaml`, flow style, with the id `ops`. */
  readonly botYaml: string
  readonly people: { readonly admin: Person; readonly member: Person; readonly other: Person }
  /** A group of all three with the bot. */
  readonly chatId: string
  /** Every chat with the bot. */
  chats(): readonly string[]
  addGroup(name: string, people: readonly Person[]): string
  /** The person's direct chat with the bot. */
  direct(person: Person): string
  /** Says a text, in groups with a mention of the bot unless `plain`; resolves with the message's id. */
  say(text: string, options?: SayOptions): Promise<string>
  /** Takes a message back. */
  recall(messageId: string, from: Person): Promise<void>
  /** Presses a button; resolves with what the click changed. */
  press(messageId: string, label: string, from: Person): Promise<'changed' | 'unchanged'>
  /** Messages of the bot in a chat, oldest first. */
  shown(chatId?: string): readonly Shown[]
  /** Finished answers of runs among them. */
  finals(chatId?: string): readonly Shown[]
  /** True while the bot is connected. */
  online(): boolean
  /** Delivers the person's message once more, as after a missing acknowledgement. */
  redeliver(messageId: string): void
  onChange(listener: () => void): () => void
  stop(): Promise<void>
}

export interface SayOptions {
  readonly from?: Person
  readonly chatId?: string
  readonly plain?: boolean
}

/** Resolves with the first truthy value of `probe`, looked at after every change; rejects after `ms`. */
export function until<T>(
  company: Pick<Company, 'onChange'>,
  probe: () => T | undefined | false,
  explain: () => string,
  ms = 60_000,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const value = probe()
      if (!value) return
      end()
      resolve(value)
    }
    const off = company.onChange(look)
    // What lies outside the chats, such as the store, changes without a word.
    const poll = setInterval(look, 100)
    const timer = setTimeout(() => {
      end()
      reject(new Error(`waited ${ms} ms for ${explain()}`))
    }, ms)
    const end = (): void => {
      off()
      clearInterval(poll)
      clearTimeout(timer)
    }
    look()
  })
}
