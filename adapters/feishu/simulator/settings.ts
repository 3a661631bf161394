/** Where public knowledge about the platform is open or changes, the simulator asks instead of guessing. */

/** All open points, and the numbers that tests want smaller. */
export interface SimulatorSettings {
  /** Type header of a `card.action.trigger` frame on a socket. The SDK drops `card` frames unanswered. */
  readonly cardFrameType: 'event' | 'card'
  /** What a repeated `uuid` within an hour gets: the first message again, or code 230049 ("being sent"). */
  readonly repeatedUuid: 'original' | 'refused'
  /** HTTP status of a business error of the open API. */
  readonly businessErrorStatus: 200 | 400
  /** HTTP status of a refused token request (codes 10003 and 10014). */
  readonly tokenErrorStatus: 200 | 400
  /** How `@all` appears in `mentions`: an entry with empty ids, or no `mentions` at all. */
  readonly atAllMention: 'entry' | 'absent'
  /** Whether `@all` alone reaches a bot that only has the group_at_msg scope. */
  readonly atAllDelivered: boolean
  /** Whether events of topic messages carry `thread_id`; some were seen with `root_id` only. */
  readonly topicEventsCarryThreadId: boolean
  /** Whether CardKit calls escape the 10 operations per second of a card. */
  readonly cardkitRateExempt: boolean
  /** When a form with an empty name or without submit button is refused. */
  readonly formCheckedAt: 'send' | 'click'
  /** `sender_type` of messages of other bots in events. */
  readonly botSenderType: 'bot' | 'app'
  /** Whether an upload part called `file` or `image` without `filename=` counts as a file. */
  readonly uploadWithoutFilename: boolean
  /** Whether an edit by a user is pushed again as `im.message.receive_v1` with a later `update_time`. */
  readonly editsDelivered: boolean
  /** Life of a tenant access token, seconds. */
  readonly tokenSeconds: number
  /** How long a bot may recall its own message, milliseconds. */
  readonly recallWindowMs: number
  /** False switches every rate limit off, for tests that look at something else. */
  readonly rateLimits: boolean
  /** Gateway calls of one API per app: each second, each minute. */
  readonly callsPerSecond: number
  readonly callsPerMinute: number
  /** Messages per second to one chat (all bots together), and updates per second of one message. */
  readonly messagesPerSecond: number
  /** CardKit operations per second on one card. */
  readonly cardOperationsPerSecond: number
  /** What the endpoint and each pong tell the client, seconds. */
  readonly pingInterval: number
  readonly reconnectInterval: number
  readonly reconnectNonce: number
  readonly reconnectCount: number
}

/** What the documents and the SDK make most likely. */
export const defaultSettings: SimulatorSettings = {
  cardFrameType: 'event',
  repeatedUuid: 'original',
  businessErrorStatus: 400,
  tokenErrorStatus: 200,
  atAllMention: 'entry',
  atAllDelivered: true,
  topicEventsCarryThreadId: true,
  cardkitRateExempt: false,
  formCheckedAt: 'send',
  botSenderType: 'bot',
  uploadWithoutFilename: true,
  editsDelivered: false,
  tokenSeconds: 7200,
  recallWindowMs: 24 * 3_600_000,
  rateLimits: true,
  callsPerSecond: 50,
  callsPerMinute: 1000,
  messagesPerSecond: 5,
  cardOperationsPerSecond: 10,
  pingInterval: 120,
  reconnectInterval: 120,
  reconnectNonce: 30,
  reconnectCount: -1,
}
