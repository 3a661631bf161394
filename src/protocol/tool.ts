/** A tool is one file that exports `defineTool({...})`. Failures are results, not exceptions. */
import type { z } from 'zod'
import type { Address, UserKey } from './address.ts'
import type { AgentHost } from './agent-host.ts'
import type { Todo } from './outbound.ts'
import type { Clock, Logger, Translate } from './ports.ts'
import type { Sandbox } from './sandbox.ts'

/** Why a call failed, for the model. */
export interface ToolError {
  /** Stable: `not_found`, `invalid_argument`, `refused`, `timeout`, `unavailable`, `limit`, `failed`. */
  readonly type: string
  readonly message: string
  /** What to try instead. */
  readonly hint: string
}

/** What a result left out, and how to get it. */
export interface Truncation {
  readonly total: number
  readonly returned: number
  /** Offset (or other argument) with which the next call continues. */
  readonly next?: number
}

/** What a call returns. A failure is a result too; only bugs are thrown. */
export type ToolResult =
  | {
      readonly ok: true
      /** What the model reads, whole; the copy for the model is cut by the registry, not here. */
      readonly text: string
      readonly data?: unknown
      /** Pictures for the model. */
      readonly images?: readonly {
        readonly mime: string
        readonly base64: string
      }[]
      readonly truncated?: Truncation
      /** True when the text holds words that nobody in the chat typed: it taints the session. */
      readonly foreign?: boolean
    }
  | { readonly ok: false; readonly error: ToolError }

/** The exact call: what an approval shows, hashes and runs. Everything in it is final. */
export interface BoundCall {
  readonly tool: string
  /** Canonical arguments after parsing and defaults. */
  readonly args: unknown
  /** For commands: the exact bytes, as text. */
  readonly command?: string
  /** Real path of the working directory, and its device and inode. */
  readonly cwd?: string
  readonly cwdId?: string
  /** Variables the call adds to the fixed environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly sandboxProfile?: string
  /** Address that the call asks, as it is shown: judged once other people's words are in the session. */
  readonly url?: string
  /** Real paths that the call names, for path rules. */
  readonly paths?: readonly string[]
  /** Digest of files whose content is part of the call: path → SHA-256. */
  readonly files?: Readonly<Record<string, string>>
  /** What looks like keys in the files of the call, masked: a person decides whether they may leave (X2). */
  readonly keys?: readonly string[]
  /** A file of the call is more than can be looked into for keys, so a person decides as well (X2). */
  readonly unseen?: true
  /** Digest of the tool's definition, for tools that another program defines and could change. */
  readonly definition?: string
  /** What the call acts on, in the words of the page: shown to people, no part of what they approve. */
  readonly target?: string
  /** The call may carry something out (a form, a password): in a tainted session no group grant covers it. */
  readonly carriesOut?: true
  /**
   * `command` is typed into something that is already running, which may read it as anything: only a
   * rule that names the tool can allow it, never one for a program, and no earlier click covers it.
   */
  readonly keystrokes?: true
}

/** What a running call sees of its session. */
export interface ToolContext {
  readonly sessionId: string
  readonly runId: string
  readonly callId: string
  readonly address: Address
  readonly requester: UserKey
  /** Others whose messages have joined the run: what the requester may is not theirs. Absent: nobody. */
  readonly others?: readonly UserKey[]
  /** Real path of the session's workspace. */
  readonly workspace: string
  /** Folder outside the workspace for full outputs and snapshots of this session. */
  readonly privateDir: string
  readonly clock: Clock
  readonly logger: Logger
  readonly text: Translate
  readonly sandbox: Sandbox
  /** Queues a file for the session's own chat; there is no way to name another chat. */
  sendFile(request: {
    path: string
    name: string
    kind: 'image' | 'file' | 'audio' | 'video'
  }): Promise<DeliveryOutcome>
  /** Replaces the run's to-do list. */
  setTodos(todos: readonly Todo[]): void
  /** Helpers that the call may start; absent where there are none, as inside a helper. */
  readonly agents?: AgentHost
  /** Largest file and image of the session's platform, bytes. */
  readonly limits: { readonly fileBytes: number; readonly imageBytes: number }
}

/** What became of a file that a tool sent. */
export type DeliveryOutcome =
  | { readonly ok: true; readonly messageId: string }
  | {
      readonly ok: false
      readonly error: ToolError
      readonly maybeSent: boolean
    }

/** A tool: what the model is told, how a call is judged, and what it does. */
export interface ToolDefinition<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  /** For the model: what it does, when to use a neighbour instead, what it costs. */
  readonly description: string
  readonly input: Input
  /** JSON Schema for the model, for tools that another program defines; otherwise it follows from `input`. */
  readonly parameters?: object
  /** Read-only calls run in parallel and are safe to repeat after a crash. */
  readonly readOnly: boolean
  /**
   * `command`: analysed by the policy; `write`, `send`, `read`: judged by kind; `memory`: keeps words
   * beyond the conversation, so it asks once other people's words are in there (P3).
   */
  readonly risk: 'read' | 'write' | 'send' | 'command' | 'control' | 'memory'
  /** Asked for once: allowing one call allows the tools of its group for that person in that session. */
  readonly group?: string
  /** One short phrase for `/tools`; absent for built-in tools, which have `tool.<name>` in the locale files. */
  readonly about?: string
  /** Name of the group with which the tool is loaded on demand; see `src/tools/shelves.ts`. Absent: always offered. */
  readonly shelf?: string
  /** Not for helpers: it starts some itself, or speaks to the chat. */
  readonly mainOnly?: boolean
  /** Platforms on which the tool exists; all when absent. */
  readonly platforms?: readonly string[]
  /** One localised line for the step list, e.g. "运行命令：uname -a". */
  title(args: z.output<Input>, text: Translate): string
  /** Resolves the call to its final form before the policy sees it. Default: the arguments. */
  bind?(args: z.output<Input>, ctx: ToolContext): Promise<BoundCall>
  /**
   * After a crash: how a call ended that was begun and has no result, from a record that the crash
   * could not take along (R5). Undefined when nothing is known. The call itself is never repeated.
   */
  recover?(ctx: Pick<ToolContext, 'privateDir' | 'callId'>): Promise<ToolResult | undefined>
  run(args: z.output<Input>, ctx: ToolContext, signal: AbortSignal, bound: BoundCall): Promise<ToolResult>
}

/** For whom the tools are: the bot, its platform, and whether the person may change things. */
export interface ToolScope {
  readonly botId: string
  readonly platform: string
  readonly mayOperate: boolean
}

/** A tool as `/tools` shows it. */
export interface ToolSummary {
  readonly name: string
  readonly about: string
  /** Why it cannot be used right now and what to do; absent when it can. */
  readonly problem?: string
}

/** Any tool, as the registry holds it. */
// biome-ignore lint/suspicious/noExplicitAny: the registry parses arguments with each tool's own schema.
export type AnyTool = ToolDefinition<any>

/** Declares a tool; the types of `run`'s arguments follow from `input`. */
export function defineTool<Input extends z.ZodObject>(tool: ToolDefinition<Input>): ToolDefinition<Input> {
  return tool
}

/** A failed result in one line. */
export function toolError(type: string, message: string, hint: string): ToolResult {
  return { ok: false, error: { type, message, hint } }
}
