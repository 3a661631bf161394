/** How much of anything a server may take from us. */

/** Largest answer, as it comes over the wire. */
export const ANSWER_BYTES = 10 * 1_048_576
/** How long a server may take to say hello and to list its tools. */
export const CONNECT_MS = 15_000
/** Silence after which a call is given up; progress begins it anew. */
export const CALL_MS = 60_000
/** The end of a call, whatever progress is reported (M6). */
export const CALL_TOTAL_MS = 10 * 60_000
/** A server that does not answer a ping within this after a late call is started again. */
export const PING_MS = 5_000
/**
 * How long a turn waits for servers that are still connecting, from when it asked, the look at the files included.
 * A quarter under the 2 s that people may notice: a timer rings late while programs start and take the processor.
 */
export const SETTLE_MS = 1_500
/** Tools of one server. */
export const MOST_TOOLS = 512
export const MOST_PAGES = 50
