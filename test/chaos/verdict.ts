/** The judgement over a crowd's errands: what was lost, doubled, or done without leave. Empty is good. */
import { describeErrand } from './crowd.ts'
import type { Errand } from './errand.ts'
import type { Ledger } from './ledger.ts'
import type { Records } from './records.ts'
import { answerMark } from './script.ts'
import type { Place } from './town.ts'

const SLOT_ENDS = new Set(['delivered', 'failed', 'unknown', 'skipped', 'replaced'])
/** A report is a text and at most two pictures. */
const MESSAGES_PER_SLOT = 3

export interface Verdict {
  readonly faults: readonly string[]
  /** Errands by how they ended, commands, calls and slots: what the judgement rests on. */
  readonly counts: Readonly<Record<string, number>>
}

export interface Evidence {
  readonly errands: readonly Errand[]
  readonly boards: readonly Place[]
  readonly ledger: Pick<Ledger, 'calls'>
  readonly records: Records
}

export function judge(evidence: Evidence): Verdict {
  const effects = tally([
    ...evidence.records.commandTags(),
    ...[...evidence.ledger.calls].flatMap(([tag, times]) => Array.from({ length: times }, () => tag)),
  ])
  const { runs, mails, inbox } = evidence.records.open()
  // At once: a look at every message takes so long that the next minute's slots would begin.
  const slots = slotFaults(evidence)
  const faults = [
    ...evidence.errands.flatMap((errand) => errandFaults(errand, effects.get(errand.tag) ?? 0, evidence)),
    ...strayEffects(evidence.errands, effects),
    ...chatFaults(evidence.errands),
    ...slots,
    ...(runs + mails + inbox > 0
      ? [`left open: ${runs} runs, ${mails} messages on their way out, ${inbox} in the inbox`]
      : []),
  ]
  return { faults, counts: countsOf(evidence, effects) }
}

function errandFaults(errand: Errand, effects: number, { records }: Evidence): string[] {
  const name = describeErrand(errand)
  const answers = answersTo(errand)
  const faults: string[] = []
  if (answers > 1) faults.push(`${name}: ${answers} answers`)
  if (errand.end === 'open') faults.push(`${name}: never answered`)
  if (errand.end === 'unheard' && records.heard(errand.tag))
    faults.push(`${name}: taken over from the platform and not answered`)
  if (effects > 1) faults.push(`${name}: took effect ${effects} times`)
  if (effects > 0 && !errand.allowed) faults.push(`${name}: took effect without leave`)
  return faults
}

function answersTo({ company, chatId, tag }: Errand): number {
  const mark = answerMark(tag)
  return company.shown(chatId).filter(({ text }) => text.includes(mark)).length
}

function strayEffects(errands: readonly Errand[], effects: ReadonlyMap<string, number>): string[] {
  const known = new Set(errands.map(({ tag }) => tag))
  return [...effects.keys()].filter((tag) => !known.has(tag)).map((tag) => `${tag}: nobody asked for it`)
}

/** Last words that name no errand must not outnumber the errands they stand for. */
function chatFaults(errands: readonly Errand[]): string[] {
  return [...Map.groupBy(errands, ({ company, chatId }) => `${company.platform} ${chatId}`)].flatMap(
    ([chat, own]) => {
      const [first] = own
      const finals = first?.company.finals(first.chatId).length ?? 0
      const heard = own.filter(({ end }) => end !== 'unheard').length
      return finals > heard ? [`${chat}: ${finals} last words for ${heard} messages`] : []
    },
  )
}

/** Everything a schedule sent is in its chat once, and nothing else is there. */
function slotFaults({ boards, records }: Evidence): string[] {
  return boards.flatMap(({ company, chatId }) => {
    const name = `schedule on ${company.platform}`
    const slots = records.slots().filter((slot) => slot.schedule_id === `board-${company.platform}`)
    const delivered = slots.flatMap((slot) => slot.deliveries)
    const shown = company.shown(chatId).filter(({ text }) => !isGreeting(text)).length
    const uncertain = slots.filter(({ state }) => state === 'unknown' || state === 'failed').length
    const faults = slots
      .filter(({ state }) => !SLOT_ENDS.has(state))
      .map(({ slot, state }) => `${name}: ${slot} is still ${state}`)
    if (new Set(delivered).size !== delivered.length) faults.push(`${name}: one message for two slots`)
    if (shown < delivered.length) faults.push(`${name}: ${delivered.length} delivered, ${shown} in the chat`)
    if (shown > delivered.length + uncertain * MESSAGES_PER_SLOT)
      faults.push(
        `${name}: ${shown} in the chat, ${delivered.length} delivered, ${uncertain} slots uncertain`,
      )
    return faults
  })
}

function isGreeting(text: string): boolean {
  return text.includes('大家好') || text.includes('答复 ')
}

function countsOf(evidence: Evidence, effects: ReadonlyMap<string, number>): Record<string, number> {
  const ended = (end: Errand['end']): number => evidence.errands.filter((one) => one.end === end).length
  return {
    messages: evidence.errands.length,
    answered: ended('answered'),
    'never handed over by the platform': ended('unheard'),
    unknown: ended('unknown'),
    'commands and calls that took effect': effects.size,
    'refused ones': evidence.errands.filter(({ kind }) => kind === 'refuse').length,
    'slots of schedules': evidence.records.slots().length,
  }
}

function tally(tags: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return counts
}
