/**
 * The wire to a server that is a program in the sandbox: one JSON message a line. Floods, garbage and
 * endless lines end this server, never the service (M5, M7).
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { AppError } from '../../protocol/errors.ts'
import type { Clock } from '../../protocol/ports.ts'
import type { RunningProgram } from '../../sandbox/index.ts'
import { cleanText } from './clean-text.ts'
import { ANSWER_BYTES } from './limits.ts'
import { createLineReader } from './line-reader.ts'

export interface ProgramTransport extends Transport {
  /** The last of what the program said on standard error, cleaned. */
  complaints(): string
  /** Why it ended by itself, or why it was ended. */
  ending(): string | undefined
}

const GARBAGE_LINES = 50
const MESSAGES_PER_WINDOW = 5_000
const WINDOW_MS = 10_000
const COMPLAINTS = 4_096
/** How long a program that was asked to leave may take. */
const LEAVE_MS = 1_000

export interface ProgramTransportDeps {
  /** The signal aborts when the wire is closed. */
  readonly start: (leaving: AbortSignal) => Promise<RunningProgram>
  readonly clock: Clock
}

export function createProgramTransport({ start, clock }: ProgramTransportDeps): ProgramTransport {
  let program: RunningProgram | undefined
  let stderr = ''
  let ending: string | undefined
  const leaving = new AbortController()

  const end = (why: string): void => {
    ending ??= why
    program?.kill()
  }
  const output = createOutput(clock, { message: (message) => transport.onmessage?.(message), end })

  const listen = (running: RunningProgram): void => {
    const reader = createLineReader(ANSWER_BYTES, output)
    running.stdout.on('data', (chunk: Buffer) => ending === undefined && reader.add(chunk))
    running.stdout.on('error', () => end('its standard output broke'))
    running.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.subarray(-COMPLAINTS).toString('utf8')).slice(-COMPLAINTS)
    })
    running.stderr.on('error', () => {})
    void running.ended.then(({ code, signal }) => {
      ending ??= signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`
      program = undefined
      transport.onclose?.()
    })
  }

  const transport: ProgramTransport = {
    start: async () => {
      // Loaded with the first server: the service starts without it.
      await output.load()
      if (leaving.signal.aborted) throw closedTooSoon()
      program = await start(leaving.signal)
      listen(program)
      if (!leaving.signal.aborted) return
      program.kill()
      await program.ended
      throw closedTooSoon()
    },
    send: async (message) => {
      if (!program || ending !== undefined) {
        throw new AppError('mcp.not_connected', 'the server is not running', { retryable: true })
      }
      const { stdin } = program
      if (!stdin.write(`${JSON.stringify(message)}\n`)) {
        // A program that no longer reads must not hold up more than its own calls.
        await Promise.race([new Promise<void>((resolve) => stdin.once('drain', resolve)), program.ended])
      }
    },
    close: async () => {
      // What is just being started would otherwise be waited for until its hello is given up.
      leaving.abort(closedTooSoon())
      const running = program
      if (!running) return
      ending ??= 'it was stopped'
      running.stdin.end()
      const cancel = clock.after(LEAVE_MS, () => running.kill())
      await running.ended
      cancel()
    },
    complaints: () => cleanText(stderr, COMPLAINTS),
    ending: () => ending,
  }
  return transport
}

const closedTooSoon = (): AppError =>
  new AppError('mcp.not_connected', 'the server was stopped while it started')

/** What a program prints, judged: messages go on, and what no honest server prints ends it. */
interface Output {
  /** Before the first line: everything is garbage until then. */
  load(): Promise<void>
  line(text: string): void
  /** A line over {@link ANSWER_BYTES}, by its ends. */
  tooLong(ends: { head: string; tail: string }): void
}

function createOutput(
  clock: Clock,
  on: { readonly message: (message: JSONRPCMessage) => void; readonly end: (why: string) => void },
): Output {
  let garbage = 0
  let parse: Parse = () => undefined
  let window = { since: clock.monotonic(), messages: 0 }
  const isFlood = (): boolean => {
    const now = clock.monotonic()
    if (now - window.since > WINDOW_MS) window = { since: now, messages: 0 }
    return ++window.messages > MESSAGES_PER_WINDOW
  }
  return {
    load: async () => {
      parse = await loadParser()
    },
    line: (text) => {
      if (text.trim() === '') return
      const message = parse(text)
      if (isFlood()) on.end(`it sent more than ${MESSAGES_PER_WINDOW} messages in ${WINDOW_MS / 1_000} s`)
      else if (message) on.message(message)
      else if (++garbage > GARBAGE_LINES)
        on.end('it prints text that is no protocol message to its standard output')
    },
    tooLong: (ends) => {
      const id = answeredId(ends)
      const message = `the answer is larger than ${ANSWER_BYTES / 1_048_576} MB`
      if (id === undefined) on.end(`it sent a line over ${ANSWER_BYTES} bytes`)
      else on.message({ jsonrpc: '2.0', id, error: { code: -32_603, message } })
    },
  }
}

type Parse = (line: string) => JSONRPCMessage | undefined

async function loadParser(): Promise<Parse> {
  const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js')
  return (line) => {
    try {
      return JSONRPCMessageSchema.parse(JSON.parse(line))
    } catch {
      // Not a message; the caller counts those.
      return undefined
    }
  }
}

/** The request that a line too long to keep would have answered, if its ends show it. */
function answeredId({ head, tail }: { head: string; tail: string }): number | undefined {
  const found =
    /^\s*\{[^{]{0,60}"id"\s*:\s*(\d+)/.exec(head) ?? /"id"\s*:\s*(\d+)[^{}]{0,40}\}\s*$/.exec(tail)
  return found?.[1] === undefined ? undefined : Number(found[1])
}
