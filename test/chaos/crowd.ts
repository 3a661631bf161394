/**
 * People who talk to the bot, one errand after another in each group, and press buttons as they come.
 * They are as patient as people: what the platform never handed over is said again, and what the
 * service has put down as "unknown" is not waited for.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../src/protocol/ports.ts'
import type { Shown } from '../e2e/support/company.ts'
import { ERRAND_KINDS, type Errand, type ErrandKind, tagIn, wordsOf } from './errand.ts'
import type { Records } from './records.ts'
import { answerMark, isAnswer } from './script.ts'
import type { Place } from './town.ts'

export interface Crowd {
  readonly errands: readonly Errand[]
  /** Nobody begins anything new; resolves when every errand has ended, rejects after `ms`. */
  finish(ms: number): Promise<void>
}

export interface CrowdOptions {
  readonly places: readonly Place[]
  readonly records: Records
  readonly random: Random
  /** Longest pause between two errands, milliseconds. */
  readonly thinkMs: number
  /** People found a new group after this many errands; without it they stay. */
  readonly moveAfter?: number
}

const LOOK_MS = 50
/** After this long without an answer it is worth asking whether the message arrived. */
const DOUBT_MS = 4_000
/** How often somebody looks whether a card did not arrive, and types its code instead. */
const TYPE_MS = 3_000

export function startCrowd(options: CrowdOptions): Crowd {
  const { random } = options
  const errands: Errand[] = []
  let finished = false

  const live = async (first: Place): Promise<void> => {
    let place = first
    for (let own = 1; !finished; own++) {
      if (own % (options.moveAfter ?? Number.POSITIVE_INFINITY) === 0) place = move(place, own)
      if (!place.company.online()) {
        await pause(LOOK_MS)
        continue
      }
      const errand = await say(place, pick(random), errands.length, random)
      errands.push(errand)
      await follow(errand, errands, options)
      await pause(random.float() * options.thinkMs)
    }
  }
  const lives = Promise.all(options.places.map(live))
  // A failure is reported by `finish`.
  lives.catch(() => {})
  return {
    errands,
    finish: async (ms) => {
      finished = true
      const late = pause(ms, 'late' as const, { ref: false })
      if ((await Promise.race([lives, late])) !== 'late') return
      const open = errands.filter(({ end }) => end === 'open')
      throw new Error(`never ended: ${open.map(describeErrand).join('; ')}`)
    },
  }
}

function move({ company }: Place, number: number): Place {
  return { company, chatId: company.addGroup(`新组${number}`, Object.values(company.people)) }
}

function pick(random: Random): ErrandKind {
  return ERRAND_KINDS[Math.floor(random.float() * ERRAND_KINDS.length)] ?? 'ask'
}

async function say(
  { company, chatId }: Place,
  kind: ErrandKind,
  index: number,
  random: Random,
): Promise<Errand> {
  const tag = `${kind}-${index}${String(Math.floor(random.float() * 10_000)).padStart(4, '0')}`
  const saidAt = Date.now()
  const messageId = await company.say(wordsOf(kind, tag), { chatId })
  return { tag, kind, company, chatId, messageId, saidAt, allowed: false, end: 'open' }
}

/** Waits for the errand's end, pressing what its kind presses. */
async function follow(
  errand: Errand,
  errands: readonly Errand[],
  { records, random }: CrowdOptions,
): Promise<void> {
  const { company, chatId } = errand
  const before = company.finals(chatId).length
  let doubtAt = Date.now() + DOUBT_MS
  let typeAt = Date.now() + TYPE_MS
  for (;;) {
    if (answered(errand, before)) {
      errand.end = 'answered'
      if (company.platform === 'feishu' && random.float() < 0.1) company.redeliver(errand.messageId)
      return
    }
    await press(errand, errands, random)
    if (Date.now() > typeAt && company.online()) {
      typeAt = Date.now() + TYPE_MS
      await typeCode(errand, errands, records)
    }
    if (Date.now() > doubtAt && company.online()) {
      doubtAt = Date.now() + DOUBT_MS
      errand.end = doubt(errand, records)
      if (errand.end !== 'open') return
    }
    await pause(LOOK_MS)
  }
}

/** What a person finds out who waited too long. Feishu delivers again what was not acknowledged; WeCom never. */
function doubt({ company, chatId, tag, messageId, saidAt }: Errand, records: Records): Errand['end'] {
  if (records.heard(tag)) return records.unknownSince(chatId, saidAt) ? 'unknown' : 'open'
  if (company.platform === 'wecom') return 'unheard'
  company.redeliver(messageId)
  return 'open'
}

/**
 * Its own answer, or a last word of the service that names no errand, such as "given up after three
 * crashes". The late answer of an errand that was not waited for any longer is neither.
 */
function answered({ company, chatId, tag }: Errand, before: number): boolean {
  const finals = company.finals(chatId)
  if (finals.some(({ text }) => text.includes(answerMark(tag)))) return true
  return finals.slice(before).some(({ text }) => !isAnswer(text))
}

/**
 * Presses the oldest card of the chat, also one of an errand before. Somebody without the right tries
 * now and then; the administrator says what the errand's kind wants.
 */
async function press(chat: Place, errands: readonly Errand[], random: Random): Promise<void> {
  const { company, chatId } = chat
  const card = company.shown(chatId).find((one) => one.buttons.includes('允许'))
  const errand = card && errands.find(({ tag }) => tag === tagIn(card.text))
  if (!card || !errand) return
  const { kind } = errand
  const by = random.float() < 0.3 ? company.people.other : company.people.admin
  const label = kind === 'refuse' && by === company.people.admin ? '拒绝' : '允许'
  if (by === company.people.admin && label === '允许') errand.allowed = true
  await tryPress(errand, card, label, by)
}

/** The service says when a card may not have arrived, and which words will do: the administrator writes them. */
async function typeCode(chat: Place, errands: readonly Errand[], records: Records): Promise<void> {
  const { company, chatId } = chat
  const texts = company.shown(chatId).map(({ text }) => text)
  const codes = texts.flatMap((text) => /没能发出.*允许 ([A-Z]{3}[2-9]{3})/.exec(text)?.[1] ?? [])
  for (const code of codes) {
    const call = records.waitingCall(code)
    const errand = call && errands.find(({ tag }) => tag === tagIn(call))
    if (!errand) continue
    const isRefused = errand.kind === 'refuse'
    errand.allowed ||= !isRefused
    await company.say(`${isRefused ? '拒绝' : '允许'} ${code}`, { chatId, from: company.people.admin })
  }
}

/** Nobody answers a click on a service that is dying. The person sees that nothing happened, and tries again. */
async function tryPress(
  { company }: Errand,
  card: Shown,
  label: string,
  by: Errand['company']['people']['admin'],
): Promise<void> {
  const click = company.press(card.id, label, by).catch(() => {})
  await Promise.race([click, pause(2_000)])
  await pause(300)
}

export function describeErrand({ tag, company, chatId, end }: Errand): string {
  return `${tag} (${company.platform}, ${chatId}, ${end})`
}
