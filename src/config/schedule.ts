/** Schedules as people write them: in the file, on the command line or through the model. */
import { z } from 'zod'
import { duration, shortId, userKey } from './sections/values.ts'

const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d'

/** Every field, all optional: a change names only what it changes. */
export const scheduleFields = z.strictObject({
  name: z.string().trim().min(1).max(60).optional(),
  cron: z.string().trim().min(1).max(100).optional(),
  at: z
    .string()
    .regex(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT${TIME}$`), 'a local time such as 2026-12-24T09:00')
    .refine((text) => !Number.isNaN(Date.parse(`${text}Z`)), 'a date that exists, such as 2026-12-24T09:00')
    .optional(),
  timezone: z.string().optional(),
  calendar: z.enum(['all', 'workdays']).optional(),
  jitter: duration.pipe(z.number().max(600_000, 'at most 10m')).optional(),
  to: z
    .strictObject({
      bot: z.string(),
      chat: z.string().min(1),
      thread: z.string().optional(),
      type: z.enum(['group', 'direct']).optional(),
    })
    .optional(),
  prompt: z.string().trim().min(1).max(8_000).optional(),
  report: z.string().trim().min(1).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  missed: z.enum(['skip', 'once', 'all']).optional(),
  overlap: z.enum(['forbid', 'queue', 'replace']).optional(),
  approvals: z.enum(['skip', 'wait']).optional(),
  hours: z
    .string()
    .regex(new RegExp(`^${TIME}-${TIME}$`), 'working hours such as 09:00-18:00')
    .refine(
      (text) => text.slice(0, 5) < text.slice(6),
      'hours that end after they begin, such as 09:00-18:00',
    )
    .optional(),
  preapproved: z
    .array(
      z.strictObject({
        command: z.string().min(1).max(4_000),
        until: z.iso.date('a day such as 2026-12-31'),
      }),
    )
    .max(20)
    .optional(),
  deliverWithin: duration.pipe(z.number().min(60_000).max(86_400_000)).optional(),
})

/** A schedule of the configuration. */
export const configuredSchedule = scheduleFields.required({ to: true }).extend({
  id: shortId,
  /** Whose rights its runs have; without one they may only read. */
  owner: userKey.optional(),
})
