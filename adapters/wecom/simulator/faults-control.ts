/** Things that can go wrong on purpose: the half of the control interface that plays bad luck. */

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
  /** Half of a download, then the connection breaks. */
  | { name: 'media' | 'media/get'; effect: 'cut'; times?: number }

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
