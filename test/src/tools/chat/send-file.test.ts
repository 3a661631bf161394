import { createHash } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { fileKind, shownName } from '../../../../src/tools/chat/file-name.ts'
import { builtinTools } from '../../../../src/tools/index.ts'
import { errorOf, textOf, toolBench } from '../bench.ts'

describe.each(['feishu_send_file', 'wecom_send_file'])('%s', (tool) => {
  it('sends a snapshot of a file of any type to this chat', async () => {
    using bench = toolBench()
    bench.put('out/报表.xlsx', 'content')
    expect(textOf(await bench.call(tool, { path: 'out/报表.xlsx' }))).toBe(
      'Sent "报表.xlsx" (7 bytes) to this chat.',
    )
    expect(bench.sent).toEqual([{ name: '报表.xlsx', kind: 'file', content: 'content' }])
  })

  it('X3: there is no way to name another chat', async () => {
    using bench = toolBench()
    bench.put('a.txt', 'content')
    for (const field of ['chat', 'to', 'chat_id', 'url']) {
      expect(errorOf(await bench.call(tool, { path: 'a.txt', [field]: 'oc_other' })).type).toBe(
        'invalid_argument',
      )
    }
    expect(bench.sent).toEqual([])
  })

  it.each([
    '.env',
    '.git/config',
    '.ssh/id_rsa',
    'sub/.hidden/a.txt',
    'server.pem',
    'key.KEY',
    'id_rsa',
    'id_ed25519.bak',
    'prod.env',
    'credentials.json',
    'secrets.yaml',
    'a.p12',
  ])('X1: refuses %s', async (path) => {
    using bench = toolBench()
    bench.put(path, 'content')
    expect(errorOf(await bench.call(tool, { path })).type).toBe('refused')
    expect(bench.sent).toEqual([])
  })

  it('X1: refuses a harmless name that links to a secret one', async () => {
    using bench = toolBench()
    bench.put('.env', 'content')
    symlinkSync('.env', join(bench.workspace, 'readme.txt'))
    expect(errorOf(await bench.call(tool, { path: 'readme.txt' })).type).toBe('refused')
  })

  it('X5: checks the limits first, and says what to do', async () => {
    using bench = toolBench()
    bench.put('big.zip', Buffer.alloc(1_000_001))
    bench.put('empty.txt', '')
    expect(errorOf(await bench.call(tool, { path: 'big.zip' }))).toMatchObject({
      type: 'limit',
      hint: expect.stringContaining('Compress'),
    })
    expect(errorOf(await bench.call(tool, { path: 'empty.txt' })).type).toBe('limit')
    expect(bench.sent).toEqual([])
  })

  it('X2: refuses when the file changed after it was shown', async () => {
    using bench = toolBench()
    bench.put('a.txt', 'harmless')
    const result = await bench.call(tool, { path: 'a.txt' }, () => bench.put('a.txt', 'poisoned'))
    expect(errorOf(result).message).toContain('has changed')
    expect(bench.sent).toEqual([])
  })

  it.each<[string, Buffer]>([
    ['a text', Buffer.from('旧的：sk-abcdefghijklmnopqrstuvwx\n')],
    ['bytes before and after', Buffer.concat([Buffer.alloc(9, 0xff), Buffer.from(' AKIAABCDEFGHIJKLMNOP ')])],
    ['a place where two reads meet', Buffer.from(`${'x'.repeat(256 * 1024 - 7)} ghp_${'a1'.repeat(18)}`)],
    [
      'a long token where two reads meet',
      Buffer.from(
        `${'x '.repeat(128 * 1024 - 700)}eyJ${'a'.repeat(1_000)}.${'b'.repeat(900)}.${'c'.repeat(300)}`,
      ),
    ],
    ['UTF-16', Buffer.from('\ufeffKEY=sk-abcdefghijklmnopqrstuvwx\n', 'utf16le')],
    ['a private key', Buffer.from('-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----')],
  ])('X2: a key in %s is told to those who decide, masked', async (_where, content) => {
    using bench = toolBench()
    bench.put('notes.txt', content)
    const keys: unknown[] = []
    const look = (): Promise<unknown> =>
      bench.call(tool, { path: 'notes.txt' }, (bound) => void keys.push(bound.keys))
    await look()
    bench.put('notes.txt', 'sk-short, AKIA, and the word token: nothing')
    await look()
    expect(keys).toEqual([[expect.stringMatching(/^.{4}••••\(\d+\)$/)], undefined])
  })

  it('X2: an archive that is too much to be looked into is told to those who decide, and sent as it is', async () => {
    using bench = toolBench()
    const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024))
    bench.put('log.gz', bomb)
    const unseen: unknown[] = []
    await bench.call(tool, { path: 'log.gz' }, (bound) => {
      unseen.push(bound.unseen)
      expect(Object.values(bound.files ?? {})).toEqual([createHash('sha256').update(bomb).digest('hex')])
    })
    bench.put('log.gz', gzipSync(Buffer.alloc(1024 * 1024)))
    await bench.call(tool, { path: 'log.gz' }, (bound) => void unseen.push(bound.unseen))
    expect(unseen).toEqual([true, undefined])
    expect(bench.sent.map((file) => file.name)).toEqual(['log.gz', 'log.gz'])
  })

  it('a picture is shown as one, unless it is too large for a picture', async () => {
    using bench = toolBench()
    bench.put('a.png', 'content')
    bench.put('b.png', Buffer.alloc(1_001))
    await bench.call(tool, { path: 'a.png' })
    await bench.call(tool, { path: 'b.png' })
    expect(bench.sent.map((file) => file.kind)).toEqual(['image', 'file'])
  })

  it('a failure is passed on as it is; an unknown outcome is called unknown', async () => {
    using bench = toolBench()
    bench.put('a.txt', 'content')
    const error = { type: 'failed', message: 'the bot was removed from the chat', hint: 'Add it again.' }
    bench.delivery = { ok: false, error, maybeSent: false }
    expect(errorOf(await bench.call(tool, { path: 'a.txt' }))).toEqual(error)
    bench.delivery = { ok: false, error: { ...error, message: 'no answer in 30 s' }, maybeSent: true }
    expect(errorOf(await bench.call(tool, { path: 'a.txt' }))).toMatchObject({
      message: '"a.txt" may have been sent: no answer in 30 s',
      hint: expect.stringContaining('ask whether it has arrived'),
    })
  })

  it('exists on its own platform only', () => {
    const found = builtinTools().find((each) => each.name === tool)
    expect(found?.platforms).toEqual([tool.split('_')[0]])
  })
})

describe('names', () => {
  it('X5: an ending is not disguised', () => {
    expect(shownName('invoice\u202efdp.exe')).toBe('invoicefdp.exe')
    expect(shownName('a\u200b.pdf\n.exe')).toBe('a.pdf.exe')
    expect(shownName('\u3164')).toBe('file')
  })

  it('a kind follows the ending; SVG is a file', () => {
    expect(['a.JPG', 'b.mp3', 'c.mp4', 'd.svg', 'e'].map(fileKind)).toEqual([
      'image',
      'audio',
      'video',
      'file',
      'file',
    ])
  })
})
