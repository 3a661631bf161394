/** What a schedule is, as data. Everything in here has been checked by `check.ts`. */
import { z } from 'zod'
import type { Address, UserKey } from '../protocol/address.ts'

const specSchema = z.object({
  name: z.string(),
  /** Five fields, or a nickname such as @daily; exactly one of `cron` and `at` is set. */
  cron: z.string().optional(),
  /** Local time of a one-off, `2026-12-24T09:00`. */
  at: z.string().optional(),
  timezone: z.string(),
  calendar: z.enum(['all', 'workdays']),
  /** Width of the spread over which runs of one minute are distributed, milliseconds. */
  jitterMs: z.number(),
  to: z.object({
    botId: z.string(),
    chatId: z.string(),
    chatType: z.enum(['group', 'direct']),
    threadId: z.string().exactOptional(),
  }),
  prompt: z.string().optional(),
  report: z.string().optional(),
  params: z.record(z.string(), z.unknown()),
  missed: z.enum(['skip', 'once', 'all']),
  overlap: z.enum(['forbid', 'queue', 'replace']),
  /** When a command needs a person: `skip` refuses it with a note, `wait` asks in working hours. */
  approvals: z.enum(['skip', 'wait']),
  /** Working hours in the schedule's zone, `09:00-18:00`; they hold on working days. */
  hours: z.string(),
  /** Exact commands that need nobody, until the end of that day in the schedule's zone. */
  preapproved: z.array(z.object({ command: z.string(), until: z.string() })),
  deliverWithinMs: z.number(),
})

export type ScheduleSpec = z.output<typeof specSchema>

/** Who created a schedule, and the most that it may ever do (T7). */
const authoritySchema = z.object({
  name: z.string().optional(),
  /** Where it was created; absent for schedules of the configuration. */
  origin: z
    .object({
      botId: z.string(),
      chatId: z.string(),
      chatType: z.enum(['group', 'direct']),
      threadId: z.string().exactOptional(),
    })
    .optional(),
  mayOperate: z.boolean(),
  /** Names of tools; null: whatever the creator's current rights give (configuration). */
  tools: z.array(z.string()).nullable(),
})

export type Authority = z.output<typeof authoritySchema>

/** Something that people must know about one slot; `schedule.note.<code>` is its text. */
const noteSchema = z.object({
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})

export type SlotNote = z.output<typeof noteSchema>

export const NOBODY: UserKey = 'unknown:configuration'

/** Reads the `spec` column; throws when it is not one. */
export function parseSpec(json: string): ScheduleSpec {
  return specSchema.parse(JSON.parse(json))
}

/** Reads the `authority` column; throws when it is not one. */
export function parseAuthority(json: string): Authority {
  return authoritySchema.parse(JSON.parse(json))
}

/** Reads the `notes` column; throws when it is not one. */
export function parseNotes(json: string): SlotNote[] {
  return z.array(noteSchema).parse(JSON.parse(json))
}

/** A group robot takes messages and gives nothing back: no clicks, no members. */
export function isRobot(address: Pick<Address, 'chatId'>): boolean {
  return address.chatId.startsWith('robot:')
}
