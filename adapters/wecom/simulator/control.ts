/**
 * The control interface of the WeCom simulator: everything that a test, the playground or a developer
 * without a tenant can do to a simulated corp. Chats are named by a chat key: a group's chatid, or
 * `directChat(botId, userid)`, or `appChat(agentId, userid)`. It knows no adapter and no page.
 */
import type { Clock, Logger, Random } from '../../../src/protocol/ports.ts'
import type { Corp, CorpApp, CorpBot, CorpDepartment, CorpGroup, CorpMember } from './corp.ts'
import type { FormAct, FormInput, FormStatus, FormTemplate } from './form.ts'
import type { ClickView, MessageView } from './view.ts'

export { appChat, directChat } from './corp.ts'

/** The points that the public documents leave open; see wecom facts, section 11. */
export interface WecomSettings {
  /** Seconds from a stream's first frame until 846608. Default 360. */
  streamLimitSec: 360 | 600
  /** Cards in groups: as replies and pushes, as replies only (default), or never. */
  groupCards: 'all' | 'reply-only' | 'none'
  /** Largest image of an aibot upload in bytes. Default 2 MB; the official plugin believes 10 MB. */
  imageUploadMax: number
  /** Whether every stream frame counts toward 30 a minute. Default false. */
  countStreamFrames: boolean
  /** Whether messages of a time without connection are delivered after the next subscribe. Default false. */
  replayMissed: boolean
  /** Whether gettoken repeats the same token while it lives. Default true. */
  sameToken: boolean
  /** Whether `apv_rel` 1 means all-of (KodeRover's reading, default) or any-of. */
  apvRel: 'all-is-1' | 'any-is-1'
  /** Content-Type of JSON callbacks; LangBot #1825 saw `text/xml` around JSON. Default application/json. */
  callbackContentType: 'application/json' | 'text/xml'
  /** Seconds of silence after which the server drops a connection; the real limit is unpublished. 0 (default): never. */
  idleLimitSec: number
}

export interface SimulatorDeps {
  clock: Clock
  random: Random
  logger: Logger
  /** 0 or absent: a free port on 127.0.0.1. */
  port?: number
  settings?: Partial<WecomSettings>
}

/** A running simulator. HTTP API, media host and long connection share one loopback port. */
export interface WecomSimulator {
  /** e.g. `http://127.0.0.1:40001`; the API lives under `/cgi-bin/`. */
  readonly url: string
  /** e.g. `ws://127.0.0.1:40001`; what the SDK takes as `wsUrl`. */
  readonly wsUrl: string
  readonly control: WecomControl
  stop(): Promise<void>
}

export interface WecomControl {
  readonly corp: CorpControl
  readonly people: PeopleControl
  readonly approvals: ApprovalControl
  readonly faults: FaultControl
  /** Live settings; a change counts from the next request on. */
  readonly settings: WecomSettings
  /** Every message of a chat, oldest first, as `viewer` sees it now (card versions differ by viewer). */
  transcript(chat: string, viewer?: string): MessageView[]
  /** Every command, call and callback since the start, oldest first. */
  journal(): JournalEntry[]
  /** Calls back after every change of a chat, with its key. Returns the cancellation. */
  onChange(listener: (chat: string) => void): () => void
  /** Resolves when the condition holds; checked after every journalled event and change. */
  until(condition: () => boolean): Promise<void>
}

/** Changes to the corp tree. Adding an existing id replaces it. */
export interface CorpControl {
  snapshot(): Corp
  department(input: CorpDepartment): void
  member(input: CorpMember): void
  app(input: CorpApp): void
  bot(input: CorpBot): void
  group(input: CorpGroup): void
  /** True while the bot holds a subscribed connection. */
  online(botId: string): boolean
  /** The GET check that the admin page makes on saving a callback URL; false when the answer is not the bare text. */
  verifyCallback(target: { bot: string } | { agentId: number }): Promise<boolean>
}

/** How a mention stands in the text. */
export interface Mention {
  bot: string
  position?: 'start' | 'middle' | 'end'
  sign?: '@' | '＠'
  /** What stands between mention and text; default U+2005. */
  gap?: string
}

interface Spoken {
  chat: string
  /** userid of the speaker. */
  from: string
  /**
   * Puts `@name` into the text and notifies that bot. Without it, a group's bots are notified when the text
   * contains `@name` or `＠name` of theirs.
   */
  at?: Mention
  /** Id of a message of the same chat. */
  quote?: string
}

export type PersonMessage = Spoken &
  (
    | { type: 'text'; text: string }
    | { type: 'file' | 'image' | 'video'; name: string; bytes: Uint8Array }
    /** Voice reaches a bot already transcribed. */
    | { type: 'voice'; name: string; bytes: Uint8Array; transcript: string }
    | { type: 'mixed'; parts: ({ type: 'text'; text: string } | { type: 'image'; bytes: Uint8Array })[] }
  )

export interface PersonClick {
  messageId: string
  from: string
  /** Key of a button or of the submit button. */
  key: string
  /** Chosen option ids by question key; absent questions keep the card's preselection. */
  selections?: Record<string, string[]>
}

export interface PersonFeedback {
  messageId: string
  from: string
  /** 1 helpful, 2 not helpful, 3 withdrawn. */
  type: 1 | 2 | 3
  content?: string
  /** 1 off-topic, 2 incomplete, 3 wrong, 4 data-analysis error. */
  reasons?: number[]
}

/** What people do in the client. Throws AppError `simulator.refused` for what the client would not allow. */
export interface PeopleControl {
  /** Resolves with the new message's id once it stands in the chat; callbacks go out by themselves. */
  send(message: PersonMessage): Promise<string>
  /** Resolves with what the client shows: after the developer's answer, or after 5 s of the clock. */
  click(click: PersonClick): Promise<ClickView>
  /** Opens a bot's single chat or an app's page. */
  openChat(chat: string): Promise<void>
  feedback(feedback: PersonFeedback): Promise<void>
}

/** The approval app. Ids are strings of digits; never numbers. */
export interface ApprovalControl {
  template(template: FormTemplate): void
  /** Files a form and returns its `sp_no`. */
  file(form: FormInput): string
  act(spNo: string, act: FormAct): void
  status(spNo: string): FormStatus
  /** Forms in progress whose current step waits for this person, oldest first. */
  waitingFor(userid: string): string[]
}

/**
 * What goes wrong with an answer: `name` is a WS cmd (`aibot_respond_msg`) or a route (`message/send`). With the name
 * of a callback (`aibot_msg_callback`, `aibot_event_callback`), drop, delay and duplicate strike the callback itself.
 */
export type AnswerFault =
  /** Applied, but the answer never arrives. */
  | { name: string; effect: 'drop'; times?: number }
  | { name: string; effect: 'delay'; ms: number; times?: number }
  | { name: string; effect: 'duplicate'; times?: number }
  /** Not applied; answers this errcode. */
  | { name: string; effect: 'error'; errcode: number; errmsg?: string; times?: number }
  /** HTTP only: not applied, answers this status with an HTML page. */
  | { name: string; effect: 'status'; status: number; times?: number }
  /** The media host (`name: 'media'`) delivers a blob whose padding is broken. */
  | { name: 'media'; effect: 'corrupt'; times?: number }

export interface FaultControl {
  /** Hits the next `times` (default 1) matching requests; faults of one name are used up in order. */
  add(fault: AnswerFault): void
  clear(): void
  /** Ends the bot's socket without a close frame (1006). */
  killSocket(botId: string): void
  /** As if another process subscribed: `disconnected_event`, then close. */
  kick(botId: string): void
  /** Kills all connections and refuses new ones for `ms` of the clock. */
  cutNetwork(ms: number): void
  /** Makes an app's current tokens answer 40014 before their time. */
  invalidateTokens(agentId: number): void
  /** The source address that the simulator believes callers to have. Default 127.0.0.1. */
  callerIp(ip: string): void
}

export interface JournalEntry {
  /** Milliseconds since 1970 by the simulator's clock. */
  at: number
  /** `ws-in`/`http-in`: the developer's request. `ws-out`/`http-out`: a callback of the platform. */
  channel: 'ws-in' | 'ws-out' | 'http-in' | 'http-out'
  /** cmd, route, or for callbacks `cmd:eventtype` / the callback URL. */
  name: string
  /** Bot id or agent id, once known. */
  who?: string
  /** Request body, secrets and base64 data removed. */
  request: unknown
  /** What was answered; absent while open. */
  answer?: unknown
  errcode?: number
}
