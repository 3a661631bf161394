/**
 * Wake-ups. A wake-up says "this session has work"; it may be lost, doubled or late without harm,
 * because the worker reads the log and a sweeper repeats what was lost. This room knows no sessions.
 */

/** `elsewhere`: only another process can work on it, which is offered it soon. */
export type Handled = 'done' | 'elsewhere'

/** Works on the session until nothing is left to do. A rejection is logged and over: the sweeper tries again. */
export type Handler = (sessionId: string) => Promise<Handled>

/** Embedded or in Redis, with the same promises. */
export interface Queue {
  /** Asks for the session to be worked on soon. Never rejects: what is lost, the sweeper finds. */
  wake(sessionId: string): Promise<void>
  /** Hands woken sessions to `handler`, each at most once at a time in this process. Call once. */
  consume(handler: Handler, concurrency: number): Consumer
  close(): Promise<void>
}

/** What takes wake-ups until it is drained. */
export interface Consumer {
  /** Stops taking; resolves when everything that was taken is done. */
  drain(): Promise<void>
}
