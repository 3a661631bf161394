/** What the service asks its broker to do, as plain data that crosses a process border. */
import { z } from 'zod'

const jobSchema = z.object({
  id: z.int(),
  /** Absolute program and arguments; nothing in it is read by a shell. */
  argv: z.array(z.string()).min(1),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  /** Base64 contents offered on file descriptors 4, 5, … */
  inputs: z.array(z.string()),
  /** True when descriptor 3 carries bubblewrap's JSON status: process id of the namespace's first process. */
  namespaced: z.boolean(),
  /** Folder whose entries must belong to the sandbox's user before the command starts. */
  claim: z.object({ path: z.string(), uid: z.int(), gid: z.int() }).optional(),
  /** Limits for all processes of the command together, where control groups are writable. */
  group: z.object({ memoryBytes: z.int(), pids: z.int() }).optional(),
  timeoutMs: z.number(),
  logPath: z.string(),
  statusPath: z.string(),
  outputBytes: z.int(),
})

export type Job = z.output<typeof jobSchema>

/** A program of the service's own: not confined, its output in a file. */
const trustedJobSchema = z.object({
  id: z.int(),
  argv: z.array(z.string()).min(1),
  cwd: z.string(),
  outputPath: z.string(),
  /** It is killed when it writes more. */
  outputBytes: z.int(),
  timeoutMs: z.number(),
})

export type TrustedJob = z.output<typeof trustedJobSchema>

export const requestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), job: jobSchema }),
  z.object({ type: z.literal('trusted'), job: trustedJobSchema }),
  z.object({ type: z.literal('abort'), id: z.int() }),
])

export type BrokerRequest = z.output<typeof requestSchema>

const result = z.object({
  exitCode: z.int().optional(),
  signal: z.string().optional(),
  ended: z.enum(['exit', 'signal', 'timeout', 'aborted', 'limit']),
  limit: z.string().optional(),
  output: z.string(),
  totalBytes: z.number(),
  omittedBytes: z.number(),
  durationMs: z.number(),
  wantedInput: z.boolean(),
})

/** How a job ended, without the keys that do not apply. */
export type JobResult = z.output<typeof result>

/** `code` is absent when a signal ended it. */
const trustedResult = z.object({ code: z.int().optional(), complaint: z.string() })

export type TrustedResult = z.output<typeof trustedResult>

export const replySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('result'), id: z.int(), result }),
  z.object({ type: z.literal('trusted'), id: z.int(), result: trustedResult }),
  /** Nothing was started; `reason` is the launcher's own complaint. */
  z.object({ type: z.literal('refused'), id: z.int(), reason: z.string() }),
])

export type BrokerReply = z.output<typeof replySchema>
