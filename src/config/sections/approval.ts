/** Rules about single calls. */
import { z } from 'zod'
import { userKey } from './values.ts'

export const approvalRule = z.strictObject({
  /** Tool name, or a prefix with `*`. */
  tool: z.string().optional(),
  /** For commands: the program's name, e.g. `git`. */
  program: z.string().optional(),
  /** For commands: arguments that must follow, in order, e.g. [status]. */
  args: z.array(z.string()).optional(),
  /** For files: path relative to the workspace, `*` and `**` allowed. */
  path: z.string().optional(),
  chat: z.string().optional(),
  user: userKey.optional(),
  effect: z.enum(['allow', 'ask', 'deny']),
  /** Told to the model and the person on deny. */
  reason: z.string().optional(),
})
