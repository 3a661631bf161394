/** How long the outbox keeps trying to deliver a message before it gives up, by what the message is. Milliseconds. */

/** An answer of a run, or anything else that somebody waits for even a day later. */
export const ANSWER_DEADLINE_MS = 24 * 3_600_000

/** A notice or a file: after an hour it would only confuse. */
export const NOTICE_DEADLINE_MS = 3_600_000

/** The update of a message that is already in the chat, or a pointer to the next one. */
export const UPDATE_DEADLINE_MS = 600_000
