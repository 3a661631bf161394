import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bench, MODULES, openBench } from './bench.ts'

/** The servers that everybody knows, as programs in the sandbox, without a network. */
let bench: Bench
const docs = mkdtempSync(join(tmpdir(), 'yizhan-docs-'))

beforeAll(async () => {
  // Who runs the service as root arranges that the sandbox's user may read what a server is given.
  chmodSync(docs, 0o755)
  writeFileSync(join(docs, 'note.txt'), '驿站的笔记')
  bench = await openBench({
    everything: { command: 'node', args: [`${MODULES}/server-everything/dist/index.js`] },
    files: { command: 'node', args: [`${MODULES}/server-filesystem/dist/index.js`, docs] },
    memory: {
      command: 'node',
      args: [`${MODULES}/server-memory/dist/index.js`],
      env: { MEMORY_FILE_PATH: '/tmp/memory.jsonl' },
    },
  })
  for (const name of ['everything', 'files', 'memory'])
    await bench.until(() => bench.view(name).state === 'ready', name)
})
afterAll(() => bench?.stop())

describe('public servers over stdio', () => {
  it('everything: text, a picture, structured content, and an error that is a result', async () => {
    expect(await bench.call('mcp__everything__echo', { message: '你好' })).toMatchObject({
      ok: true,
      text: expect.stringContaining('你好'),
    })
    const picture = await bench.call('mcp__everything__get-tiny-image', {})
    expect(picture).toMatchObject({ ok: true, images: [{ mime: 'image/png' }] })
    const kept = /mcp\/everything__get-tiny-image-[0-9a-f]{6}-1\.png/.exec(JSON.stringify(picture))?.[0] ?? ''
    expect(readFileSync(join(bench.folder, kept)).subarray(1, 4).toString()).toBe('PNG')
    const structured = await bench.call('mcp__everything__get-structured-content', { location: 'New York' })
    expect(structured).toMatchObject({ ok: true, data: { temperature: expect.any(Number) } })
    expect(await bench.call('mcp__everything__echo', { message: 1 })).toMatchObject({ ok: false })
  })

  it('files: reads what its entry names and nothing else', async () => {
    const read = await bench.call('mcp__files__read_text_file', { path: join(docs, 'note.txt') })
    expect(read).toMatchObject({ ok: true, text: expect.stringContaining('驿站的笔记') })
    expect(await bench.call('mcp__files__read_text_file', { path: '/etc/shadow' })).toMatchObject({
      ok: false,
    })
  })

  it('memory: keeps what it was told', async () => {
    const entities = [{ name: '驿站', entityType: 'service', observations: ['runs on Node'] }]
    expect(await bench.call('mcp__memory__create_entities', { entities })).toMatchObject({ ok: true })
    expect(await bench.call('mcp__memory__search_nodes', { query: 'Node' })).toMatchObject({
      ok: true,
      text: expect.stringContaining('驿站'),
    })
  })
})
