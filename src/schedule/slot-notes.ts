/** What people must know about one slot, as lines. */
import type { Translate } from '../protocol/ports.ts'
import { findSlot, moveSlot } from '../store/repositories/schedule-slots.ts'
import type { ScheduleSlotRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import { parseNotes, type SlotNote } from './spec.ts'

/** @param json `schedule_slots.notes` */
export function noteLines(json: string, text: Translate): string[] {
  return parseNotes(json).map((note) => text(`schedule.note.${note.code}`, note.params))
}

/** Adds a note once; a call that is judged again after a crash leaves one line. */
export async function addNote(
  db: Db,
  slot: Pick<ScheduleSlotRow, 'schedule_id' | 'slot'>,
  note: SlotNote,
): Promise<void> {
  const row = await findSlot(db, slot.schedule_id, slot.slot)
  if (!row) return
  const notes = parseNotes(row.notes)
  if (notes.some((known) => JSON.stringify(known) === JSON.stringify(note))) return
  await moveSlot(db, row, [row.state], { notes: JSON.stringify([...notes, note]) })
}
