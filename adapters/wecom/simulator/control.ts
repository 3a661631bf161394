/**
 * The control interface of the WeCom simulator: everything that a test, the playground or a developer
 * without a tenant can do to a simulated corp. Chats are named by a chat key: a group's chatid, or
 * `directChat(botId, userid)`, or `appChat(agentId, userid)`. It knows no adapter and no page.
 */
import type { Clock, Logger, Random } from '../../../src/protocol/ports.ts'
import type { Corp, CorpApp, CorpBot, CorpDepartment, CorpGroup, CorpMember } from './corp.ts'
import type { FaultControl } from './faults-control.ts'
import type { FormAct, FormInput, FormStatus, FormTemplate } from './form.ts'
import type { PeopleControl } from './people-control.ts'
import type { MessageView } from './view.ts'

export { appChat, directChat } from './corp.ts'
export type { AnswerFault, FaultControl } from './faults-control.ts'
export type {
  Mention,
  PeopleControl,
  PersonClick,
  PersonFeedback,
  PersonMessage,
} from './people-control.ts'

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
  /** One message as `viewer` sees it now. */
  message(id: string, viewer?: string): MessageView | undefined
  /** Calls back after every change. Returns the cancellation. */
  onChange(listener: (change: WecomChange) => void): () => void
  /** Resolves when the condition holds; checked after every journalled event and change. */
  until(condition: () => boolean): Promise<void>
}

/** `message`: new or changed; `corp`: groups or members; `traffic`: the journal or the connections. */
export type WecomChange = { type: 'message'; messageId: string } | { type: 'corp' } | { type: 'traffic' }

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

/** The approval app. Ids are strings of digits; never numbers. */
export interface ApprovalControl {
  template(template: FormTemplate): void
  /** Files a form and returns its `sp_no`. */
  file(form: FormInput): string
  /** `at` in milliseconds since 1970; default the clock's now. */
  act(spNo: string, act: FormAct, at?: number): void
  status(spNo: string): FormStatus
  /** Forms in progress whose current step waits for this person, oldest first. */
  waitingFor(userid: string): string[]
}

export interface JournalEntry {
  /** Counts up from 1. */
  id: number
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
