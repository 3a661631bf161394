/** Sources of reports. */
import { z } from 'zod'

/** Who may have something read for them: a list holds people and chats (`chat:ops:oc_…`). */
export const reportReaders = z.union([z.enum(['everyone', 'admins']), z.array(z.string())])

const allow = reportReaders.default('admins')

export const reportSource = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('postgres'), url: z.string().min(1), allow }),
  z.strictObject({ type: z.literal('mysql'), url: z.string().min(1), allow }),
  z.strictObject({ type: z.literal('sqlite'), path: z.string().min(1), allow }),
  z.strictObject({
    type: z.literal('csv'),
    /** `{date}`, `{yesterday}` and `{month}` stand for the report's day. */
    path: z.string().min(1),
    encoding: z.enum(['auto', 'utf-8', 'gb18030', 'utf-16le']).default('auto'),
    allow,
  }),
  z.strictObject({
    type: z.literal('xlsx'),
    path: z.string().min(1),
    sheet: z.coerce.string().optional(),
    allow,
  }),
  z.strictObject({
    type: z.literal('json'),
    url: z.string().min(1),
    headers: z.record(z.string(), z.string()).default({}),
    /** Where the list of rows is in the answer, e.g. `data.items`. */
    rows: z.string().default(''),
    allow,
  }),
])

export const reportName = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}_-]{0,47}$/u, 'letters, digits, hyphens and underscores, at most 48')
