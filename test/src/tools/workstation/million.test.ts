/** A folder of a million entries, as the file system would tell them; making a real one takes a minute. */
import { expect, it } from 'vitest'
import {
  byName,
  type Scan,
  type ScanOptions,
  scanFolder,
} from '../../../../src/tools/workstation/folder-scan.ts'
import { workbench } from './workbench.ts'

const MILLION = 1_000_000
const file = { isFile: () => true, isDirectory: () => false, isSymbolicLink: () => false }
const nameOf = (index: number): string => `entry-${String(index).padStart(7, '0')}`

interface Watched {
  readonly scan: Scan
  readonly taken: number
  /** Most entries that were read while nothing else of the process had a turn. */
  readonly mostAtOnce: number
}

/** Reads so many entries, last name first, and watches who else has a turn meanwhile. */
async function watch(count: number, options: Partial<ScanOptions> = {}): Promise<Watched> {
  using bench = workbench()
  let [taken, atOnce, mostAtOnce, isOver] = [0, 0, 0, false]
  function* entries() {
    for (let index = count - 1; index >= 0; index--) {
      taken++
      mostAtOnce = Math.max(mostAtOnce, ++atOnce)
      yield { ...file, name: nameOf(index) }
    }
  }
  const others = (async () => {
    while (!isOver) {
      atOnce = 0
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const all = { recursive: false, hidden: false, ...options }
  const { signal } = new AbortController()
  const scan = await scanFolder(bench.workspace, bench.workspace, all, signal, entries)
  isOver = true
  await others
  return { scan, taken, mostAtOnce }
}

it('F5: a million entries are counted whole, in bounded memory and small steps', async () => {
  const before = process.memoryUsage().rss
  const { scan, mostAtOnce } = await watch(MILLION, { first: 201 })
  expect(scan).toMatchObject({ total: MILLION, complete: true })
  expect(scan.entries.length).toBeLessThan(2_000)
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
  expect(mostAtOnce).toBeLessThanOrEqual(1_024)
})

it('F5: every page of them is the right one by name, whatever order the file system has', async () => {
  const { scan } = await watch(MILLION, { first: 50_004 })
  const page = scan.entries.sort(byName).slice(50_000, 50_003)
  expect(page.map(({ name }) => name)).toEqual([nameOf(50_000), nameOf(50_001), nameOf(50_002)])
})

it('F5: of more than a million it says that it has not seen all', async () => {
  const { scan, taken } = await watch(MILLION + 100)
  expect(scan).toMatchObject({ total: MILLION, complete: false })
  expect(scan.entries).toHaveLength(200_000)
  expect(taken).toBe(MILLION + 1)
})
