/** The service under a high rate for minutes on end: what it holds must stay flat, and nothing be lost. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ServiceProcess, spawnService } from '../e2e/support/service-process.ts'
import { createSeededRandom } from '../support/random.ts'
import { startCrowd } from './crowd.ts'
import { watchHealth } from './health.ts'
import { introduce, settled } from './kills.ts'
import { readRecords } from './records.ts'
import { openTown } from './town.ts'
import { type Trend, trendsOf } from './trend.ts'
import { judge, type Verdict } from './verdict.ts'

export interface SoakOptions {
  readonly minutes: number
  readonly groups: number
  /** Longest pause of each person between two messages, milliseconds. Default 400. */
  readonly thinkMs?: number
  readonly say: (line: string) => void
}

export interface SoakVerdict extends Verdict {
  readonly trends: readonly Trend[]
}

const LOOKS = 40
/** WeCom takes thirty messages a minute in a chat; what queued up for that leaves within this time. */
const END_MS = 180_000

export async function runSoak({ minutes, groups, thinkMs = 400, say }: SoakOptions): Promise<SoakVerdict> {
  const town = await openTown({ groups, pace: { pieces: 6, pieceMs: 10 } })
  const temporary = join(town.dataDir, '..', 'tmp')
  mkdirSync(temporary)
  let service: ServiceProcess | undefined
  let isGood = false
  try {
    await introduce(town.config, town.boards)
    const started = spawnService(town.config, { TMPDIR: temporary })
    service = started
    await started.listening
    const records = readRecords(town.dataDir)
    const random = createSeededRandom('soak')
    const crowd = startCrowd({ places: town.places, records, random, thinkMs, moveAfter: 40 })
    const watch = watchHealth(started.pid, temporary, (minutes * 60_000) / LOOKS)
    for (let left = minutes * 60_000; left > 0; left -= 60_000) {
      await pause(Math.min(60_000, left))
      const look = watch.looks.at(-1)
      say(`${crowd.errands.length} messages, ${look?.memoryMb.toFixed(0)} MB, ${look?.handles} handles`)
    }
    watch.stop()
    await crowd.finish(END_MS).catch((error: unknown) => say(String(error)))
    await settled(records)
    const verdict = judge({ errands: crowd.errands, boards: town.boards, ledger: town.ledger, records })
    const trends = trendsOf(watch.looks)
    isGood = verdict.faults.length === 0
    if (!isGood) say(`the evidence is in ${town.dataDir}; the service said:\n${started.log()}`)
    return { ...verdict, trends }
  } finally {
    await service?.kill('SIGKILL')
    await town.stop(!isGood)
  }
}
