/** One server of ours: supervised, its tools agreed to, its calls bounded. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { AppError, isAppError } from '../../protocol/errors.ts'
import type { Clock, Logger, Random } from '../../protocol/ports.ts'
import { type ToolResult, toolError } from '../../protocol/tool.ts'
import type { Store } from '../../store/store.ts'
import { judgeFailure } from './call-failure.ts'
import { cleanLine } from './clean-text.ts'
import { type Connection, openConnection } from './connection.ts'
import type { ServerEntry } from './entry.ts'
import type { Agreement } from './pins.ts'
import { type ReceivedFile, receivedFiles } from './received-files.ts'
import { toolResult } from './result.ts'
import { createSupervisor, type LinkState, type Supervised, type Supervisor } from './supervisor.ts'
import { createToolList, type ToolList } from './tool-list.ts'
import { type Trouble, troubleOf } from './trouble.ts'

/** A way to a server, opened but not yet used. */
export interface Wire {
  readonly transport: Transport
  /** Why it ended and what the program said, for people; undefined when it says nothing. */
  readonly complaint?: () => string | undefined
  /** Takes the code of a login that a person has finished. */
  readonly finishLogin?: (code: string) => Promise<void>
}

export interface LinkDeps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly open: (entry: ServerEntry) => Promise<Wire>
  /** State or tools are not what they were. */
  readonly onChange: () => void
  /** Tools that were agreed to and are so no longer. */
  readonly onWithdrawn: (tools: readonly string[]) => void
}

/** What the model reads, and what came beside it. */
export interface LinkAnswer {
  readonly result: ToolResult
  readonly files: readonly ReceivedFile[]
}

export interface Link {
  readonly entry: ServerEntry
  readonly state: LinkState
  /** In the words of whoever failed; empty when it is ready. */
  readonly why: string
  /** The kind of what is wrong, for words of ours. */
  readonly trouble: Trouble
  readonly agreement: Agreement
  start(): Promise<void>
  /** Resolves when the try that is under way has ended. */
  settled(): Promise<void>
  /** Resolves when its tools are known: from an earlier time at once, else when the first try has ended. */
  known(): Promise<void>
  /** Never rejects but with the signal's reason. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<LinkAnswer>
  /** Agrees to the changes that this code names; undefined when they are no longer what it offers. */
  approve(code: string, by: string): Promise<readonly string[] | undefined>
  finishLogin(code: string): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A program that dies this often within a minute is given up; a remote server is tried for ever. */
const MOST_DEATHS = 5

/** A server that asks again and again is not asked a third time. */
const MOST_LOGINS = 2
const USELESS = { hint: 'The server does not accept what its login gives. Ask its operator.' }

/** Shorter values are words such as `zh` and `true`. */
const SECRET_LENGTH = 8

/** What is open right now. */
interface Line {
  wire: Wire | undefined
  connection: Connection | undefined
  /** Logins that were finished and opened nothing. */
  fruitless: number
  /** What was agreed to earlier is being read. */
  starting: Promise<void> | undefined
  /** How often it was left; a wire that opens after that is closed again. */
  leaves: number
  stopped: boolean
  trouble: Trouble
}

export function createLink(entry: ServerEntry, deps: LinkDeps): Link {
  const logger = deps.logger.child({ mcpServer: entry.name })
  const line: Line = {
    ...{ wire: undefined, connection: undefined, fruitless: 0, leaves: 0 },
    ...{ starting: undefined, stopped: false, trouble: 'connect' },
  }
  const tools = createToolList({
    ...deps,
    server: entry.name,
    logger,
    listed: () => line.connection?.list(),
  })
  // Whoever started it hears why it could not be.
  const started = async (): Promise<void> => line.starting?.catch(() => {})
  const mostFailures = entry.target?.kind === 'program' ? MOST_DEATHS : undefined
  const supervisor = createSupervisor(supervised(entry, deps, line, tools), { ...deps, logger, mostFailures })
  return {
    entry,
    get state() {
      // Until what was agreed to earlier is read, nothing is tried; to everybody else it is on its way.
      return line.starting ? 'connecting' : supervisor.state
    },
    get why() {
      return supervisor.why
    },
    get trouble() {
      return line.trouble
    },
    get agreement() {
      return tools.agreement
    },
    start: () => {
      line.starting = begin(line, tools, supervisor)
      return line.starting
    },
    settled: async () => {
      await started()
      await supervisor.settled()
    },
    known: async () => {
      await started()
      if (tools.agreement.agreed.length === 0) await supervisor.settled()
    },
    call: (tool, args, signal) => call(entry.name, line, supervisor, tool, args, signal),
    approve: tools.approve,
    finishLogin: async (code) => {
      if (!line.wire?.finishLogin)
        throw new AppError('mcp.login_lost', 'no login is under way at this server')
      if (line.fruitless >= MOST_LOGINS)
        throw new AppError('mcp.login_useless', 'logging in did not help', USELESS)
      line.fruitless += 1
      await line.wire.finishLogin(code)
      await supervisor.restart()
    },
    restart: () => supervisor.restart(),
    stop: async () => {
      line.stopped = true
      await started()
      await supervisor.stop()
    },
  }
}

/** Reads what was agreed to earlier, then begins to connect. */
async function begin(line: Line, tools: ToolList, supervisor: Supervisor): Promise<void> {
  try {
    await tools.load()
    if (!line.stopped) supervisor.start()
  } finally {
    line.starting = undefined
  }
}

function supervised(entry: ServerEntry, deps: LinkDeps, line: Line, tools: ToolList): Supervised {
  const disconnect = async (): Promise<void> => {
    const { connection, wire } = line
    line.leaves += 1
    line.connection = undefined
    line.wire = undefined
    // What cannot be closed is closed already.
    await connection?.close().catch(() => {})
    await wire?.transport.close().catch(() => {})
  }
  const explain = (message: string): string => {
    const said = line.wire?.complaint?.()
    return cleanLine(withoutSecrets(said === undefined ? message : `${message}; ${said}`, entry), 600)
  }
  return {
    disconnect,
    connect: async (onEnded) => {
      const leaves = line.leaves + 1
      await disconnect()
      try {
        line.wire = await deps.open(entry)
        if (line.leaves !== leaves) throw new AppError('mcp.not_connected', 'it was stopped meanwhile')
        line.connection = await openConnection(line.wire.transport, {
          onClosed: () => {
            line.connection = undefined
            line.trouble = 'ended'
            onEnded(explain('the connection ended'))
          },
          onToolsChanged: tools.lookSoon,
        })
        await tools.look()
        line.fruitless = 0
      } catch (error) {
        const why = explain(error instanceof Error ? error.message : String(error))
        const needsLogin = await isLoginNeeded(error)
        line.trouble = needsLogin ? 'login' : await troubleOf(error)
        // The wire of a login stays: the code will come back to it.
        if (!needsLogin) await disconnect()
        throw new AppError(needsLogin ? 'mcp.login_needed' : 'mcp.not_connected', why, { cause: error })
      }
    },
    judge: (error) => ({
      why: error instanceof Error ? error.message : String(error),
      needsLogin: isAppError(error, 'mcp.login_needed'),
    }),
  }
}

/** What an entry gives to its server alone must not come back in the server's complaints, which everybody reads. */
function withoutSecrets(text: string, { target }: ServerEntry): string {
  const given = target?.kind === 'program' ? target.env : (target?.headers ?? {})
  return Object.values(given)
    .flatMap((value) => [value, value.replace(/^\S+ /, '')])
    .filter((value) => value.length >= SECRET_LENGTH)
    .reduce((clean, value) => clean.replaceAll(value, '***'), text)
}

async function isLoginNeeded(error: unknown): Promise<boolean> {
  const { UnauthorizedError } = await import('@modelcontextprotocol/sdk/client/auth.js')
  return error instanceof UnauthorizedError
}

async function call(
  server: string,
  line: Line,
  supervisor: Supervisor,
  tool: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<LinkAnswer> {
  for (let tries = 0; ; tries++) {
    try {
      const answer = await callOnce(line, supervisor, tool, args, signal)
      return { result: toolResult(answer), files: receivedFiles(answer) }
    } catch (error) {
      signal.throwIfAborted()
      if (await isLoginNeeded(error)) {
        line.trouble = 'login'
        return { result: loginNeeded(server, supervisor), files: [] }
      }
      const failure = await judgeFailure(server, error)
      if (failure.suspicious && !(await line.connection?.answers())) await supervisor.restart()
      if (!failure.retry || tries > 0) return { result: failure.result, files: [] }
    }
  }
}

function loginNeeded(server: string, supervisor: Supervisor): ToolResult {
  supervisor.needLogin('it wants a login for this call')
  const hint = 'An administrator gets the address with /mcp in a direct chat.'
  return toolError('unavailable', `The server "${server}" wants a person to log in first.`, hint)
}

async function callOnce(
  line: Line,
  supervisor: Supervisor,
  tool: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<CallToolResult> {
  if (supervisor.state === 'connecting') await supervisor.settled()
  if (line.connection && supervisor.state === 'ready') return line.connection.call(tool, args, signal)
  throw new AppError('mcp.not_connected', supervisor.why || 'it is not connected')
}
