/** The service under load is killed at random moments and started again, any number of times. */
import { setTimeout as pause } from 'node:timers/promises'
import { type ServiceProcess, spawnService } from '../e2e/support/service-process.ts'
import { createSeededRandom } from '../support/random.ts'
import { startCrowd } from './crowd.ts'
import { type Records, readRecords } from './records.ts'
import { openTown, type Place } from './town.ts'
import { judge, type Verdict } from './verdict.ts'

export interface KillOptions {
  readonly count: number
  readonly seed: string
  readonly groups: number
  /** Longest pause of a group between two errands, milliseconds; default 300. */
  readonly thinkMs?: number
  /** Told of progress, one line each. */
  readonly say: (line: string) => void
}

/** One in five dies while it starts, the others within this time after they listen. */
const SHARE_AT_START = 0.2
const LATEST_MS = 4_000
/** After the last kill everything must have ended by then. */
const END_MS = 150_000
/** A doubled answer would come within this time after the last one. */
const AFTERMATH_MS = 4_000
const SETTLE_MS = 30_000
/** Schedules of the town begin a slot every full minute; nothing is judged so close to it. */
const MINUTE_MS = 60_000
const AROUND_MS = 3_000

export async function runKills({ count, seed, groups, thinkMs = 300, say }: KillOptions): Promise<Verdict> {
  const town = await openTown({ groups, pace: { pieces: 6, pieceMs: 30 } })
  const random = createSeededRandom(seed)
  let service: ServiceProcess | undefined
  let isGood = false
  try {
    await introduce(town.config, town.boards)
    const records = readRecords(town.dataDir)
    const crowd = startCrowd({
      places: town.places,
      records,
      random: createSeededRandom(`${seed}-crowd`),
      thinkMs,
    })
    for (let kill = 1; kill <= count; kill++) {
      const starting = spawnService(town.config)
      service = starting
      const after = random.float() * LATEST_MS
      // A start that refuses is a fault of its own, and ends everything here.
      if (random.float() < SHARE_AT_START) await Promise.race([pause(after / 2), starting.listening])
      else await starting.listening.then(() => pause(after))
      await starting.kill('SIGKILL')
      if (kill % 20 === 0) say(`${kill} kills, ${crowd.errands.length} messages`)
    }
    const last = spawnService(town.config)
    service = last
    await last.listening
    await crowd.finish(END_MS).catch((error: unknown) => say(String(error)))
    await pause(AFTERMATH_MS)
    await settled(records)
    const verdict = judge({ errands: crowd.errands, boards: town.boards, ledger: town.ledger, records })
    isGood = verdict.faults.length === 0
    if (!isGood) say(`the evidence is in ${town.dataDir}; the service said:\n${last.log()}`)
    return verdict
  } finally {
    await service?.kill('SIGKILL')
    await town.stop(!isGood)
  }
}

/**
 * A slot may have become due just now; it gets the time that it takes. Returns far from the full minute, at
 * which the next slots begin: they would be judged while they run.
 */
export async function settled(records: Records): Promise<void> {
  for (const end = Date.now() + SETTLE_MS; Date.now() < end; await pause(200)) {
    const isBetween = Math.abs((Date.now() % MINUTE_MS) - MINUTE_MS / 2) < MINUTE_MS / 2 - AROUND_MS
    if (isBetween && Object.values(records.open()).every((count) => count === 0)) return
  }
}

/** A bot may write into a group of WeCom once somebody has spoken to it there. */
export async function introduce(config: string, boards: readonly Place[]): Promise<void> {
  const service = spawnService(config)
  await service.listening
  for (const { company, chatId } of boards) {
    while (!company.online()) await pause(50)
    await company.say('说说 ask-1', { chatId })
    while (company.finals(chatId).length === 0) await pause(50)
  }
  await service.kill('SIGTERM')
}
