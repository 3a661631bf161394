/** How soon `npm start` is ready, and what it holds when it has nothing to do. */
import { setTimeout as pause } from 'node:timers/promises'
import { residentMb } from './process-stats.ts'
import { atMost, median, type Row } from './row.ts'
import { startPlayground } from './servers.ts'

export async function measureStart(quick: boolean): Promise<Row[]> {
  const ready: number[] = []
  const resident: number[] = []
  for (let i = 0; i < (quick ? 3 : 7); i++) {
    const service = await startPlayground()
    ready.push(service.readyMs)
    await pause(1_500)
    resident.push(residentMb(service.pid))
    await service.stop()
  }
  return [
    atMost('ready after start (playground)', median(ready), 'ms', 1_500),
    atMost('resident memory, idle (playground)', median(resident), 'MB', 130),
  ]
}
