import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createSecretSearch, type SecretSearch } from '../../../../src/tools/chat/file-secrets.ts'
import { createUnpacker } from '../../../../src/tools/chat/unpacker.ts'

const MB = 1024 * 1024
const KEY = 'sk-abcdefghijklmnopqrstuvwx'
/** Far more than a step takes here (1–5 ms), far less than what people notice. */
const MOST_HELD_MS = 150
const MOST_WORK_MS = 6_000

const filled = (bytes: number, words: string): Uint8Array => Buffer.alloc(bytes, words)

/** A sheet as office programs write it: every cell another number. */
function sheet(bytes: number): Uint8Array {
  const rows: string[] = []
  for (let row = 1, length = 0; length < bytes; row++) {
    const cells = Array.from(
      { length: 12 },
      (_, at) => `<c r="${row}-${at}"><v>${((row * 12 + at) * 2_654_435_761) >>> 3}</v></c>`,
    )
    rows.push(`<row>${cells.join('')}</row>`)
    length += rows.at(-1)?.length ?? 0
  }
  return Buffer.from(`<sheetData>${rows.join('')}</sheetData>`)
}

/** An archive as far as it is read for keys: its entries, packed. */
function zip(entries: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const parts = Object.entries(entries).flatMap(([name, bytes]) => {
    const packed = deflateRawSync(bytes)
    const beginning = Buffer.alloc(30 + name.length)
    beginning.write('PK\x03\x04', 'latin1')
    beginning.writeUInt16LE(8, 8)
    beginning.writeUInt32LE(packed.byteLength, 18)
    beginning.writeUInt32LE(bytes.byteLength, 22)
    beginning.writeUInt16LE(name.length, 26)
    beginning.write(name, 30)
    return [beginning, packed]
  })
  return Buffer.concat(parts)
}

/** Entries of no bytes at all: nothing but their beginnings. */
function crowd(entries: number, name = 'a'): Uint8Array {
  const entry = Buffer.alloc(30 + name.length)
  entry.write('PK\x03\x04', 'latin1')
  entry.writeUInt16LE(name.length, 26)
  entry.write(name, 30)
  return Buffer.alloc(entries * entry.byteLength, entry)
}

/** Gzip whose name has no end. */
const endless = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]), filled(20 * MB, 'n')])

interface Looked {
  readonly search: SecretSearch
  /** Processor time of this thread, milliseconds: what other work of the machine takes is not in it. */
  readonly longestHold: number
  readonly work: number
  readonly turns: number
}

/** Looks into a file as it is read for sending, and sees how long nothing else could run. */
async function look(file: Uint8Array, atOnce = 1): Promise<Looked> {
  const search = createSecretSearch()
  const searches = [search, ...Array.from({ length: atOnce - 1 }, createSecretSearch)]
  const begin = processorMs()
  let last = begin
  let longestHold = 0
  let turns = 0
  let isOver = false
  const beat = (): void => {
    const now = processorMs()
    longestHold = Math.max(longestHold, now - last)
    last = now
    turns++
    if (!isOver) setImmediate(beat)
  }
  setImmediate(beat)
  await Promise.all(
    searches.map(async (one) => {
      for (let at = 0; at < file.byteLength; at += 256 * 1024)
        await one.take(Buffer.from(file.subarray(at, at + 256 * 1024)))
      one.close()
    }),
  )
  isOver = true
  beat()
  return { search, longestHold, work: last - begin, turns }
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

describe('F8: looking into a file never holds the service', () => {
  it.each<[string, () => Uint8Array]>([
    ['a zip with an XML of opening signs', () => zip({ 'a.xml': filled(80 * MB, '<') })],
    ['a zip with an XML of closing signs', () => zip({ 'a.xml': filled(70 * MB, '>') })],
    ['a zip with an XML of short tags', () => zip({ 'a.xml': filled(70 * MB, '<a>b</a>') })],
    [
      'a zip with an XML of nested repetition',
      () => zip({ 'a.xml': filled(70 * MB, `<a ${'<b '.repeat(90)}${'>'.repeat(90)}`) }),
    ],
    [
      'a zip with an XML of beginnings of keys',
      () => zip({ 'a.xml': filled(70 * MB, 'eyJeyJeyJa.eyJeyJeyJeyJ AIza-AIza sk-gho_ ') }),
    ],
    ['a zip with UTF-16', () => zip({ 'a.xml': filled(70 * MB, '<\0a\0>\0') })],
    ['a gzip of zeros', () => gzipSync(filled(80 * MB, '\0'))],
    ['a crowd of empty entries', () => crowd(400_000)],
    ['a crowd of pictures', () => crowd(400_000, 'a.png')],
  ])(
    '%s: is cut short, and its sending asks',
    async (_what, make) => {
      const { search, longestHold, work, turns } = await look(make())
      expect(search.isCutShort).toBe(true)
      expect(longestHold).toBeLessThan(MOST_HELD_MS)
      expect(work).toBeLessThan(MOST_WORK_MS)
      expect(turns).toBeGreaterThan(20)
    },
    120_000,
  )

  it.each<[string, () => Uint8Array]>([
    [
      'a sheet of 56 MB',
      () => zip({ 'xl/sheet1.xml': sheet(56 * MB), 'xl/sharedStrings.xml': Buffer.from(`<t>${KEY}</t>`) }),
    ],
    ['a gzip whose name never ends, then nothing', () => endless],
    [
      'a zip of a huge picture that is not unpacked',
      () => zip({ 'a.png': filled(80 * MB, 'x'), env: Buffer.from(KEY) }),
    ],
  ])(
    '%s: is looked into to its end',
    async (_what, make) => {
      const { search, longestHold, work } = await look(make())
      expect(search.isCutShort).toBe(false)
      expect(search.found).toEqual(_what.startsWith('a gzip') ? [] : ['sk-a••••(27)'])
      expect(longestHold).toBeLessThan(MOST_HELD_MS)
      expect(work).toBeLessThan(MOST_WORK_MS)
    },
    120_000,
  )

  it('eight bombs at once: each is cut short, and other work goes on between their pieces', async () => {
    const { search, longestHold, turns } = await look(zip({ 'a.xml': filled(70 * MB, '<') }), 8)
    expect(search.isCutShort).toBe(true)
    expect(longestHold).toBeLessThan(MOST_HELD_MS)
    expect(turns).toBeGreaterThan(200)
  }, 120_000)

  it('of an archive that grows without end no more than 64 MB are unpacked, in pieces of at most 64 KB', async () => {
    const bomb = zip({ zeros: new Uint8Array(90 * MB), env: Buffer.from(KEY) })
    const pieces: number[] = []
    const unpacker = createUnpacker(() => (piece) => void pieces.push(piece.byteLength))
    await unpacker.take(bomb)
    expect(pieces.reduce((sum, bytes) => sum + bytes, 0)).toBe(64 * MB)
    expect(Math.max(...pieces)).toBe(64 * 1024)
    expect(unpacker.isCutShort).toBe(true)
  }, 60_000)
})
