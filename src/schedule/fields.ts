/** Reads the fields that a person or the model wrote. */
import type { z } from 'zod'
import { scheduleFields } from '../config/schedule.ts'
import { AppError } from '../protocol/errors.ts'

export type ScheduleFields = z.output<typeof scheduleFields>

/** Reads fields. Throws `schedule.field`, naming the field and what it should look like. */
export function parseFields(fields: Readonly<Record<string, unknown>>): ScheduleFields {
  const parsed = scheduleFields.safeParse(fields)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const place = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.map(String).join('.')
  throw new AppError('schedule.field', `${place || 'schedule'}: ${issue?.message ?? 'not valid'}`, {
    hint: `The fields are ${Object.keys(scheduleFields.shape).join(', ')}.`,
    params: { place: place || 'schedule', why: issue?.message ?? '' },
  })
}
