import { gzipSync, Zip, ZipDeflate, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { createSecretSearch } from '../../../../src/tools/chat/file-secrets.ts'

const KEY = 'sk-abcdefghijklmnopqrstuvwx'
const text = (words: string): Uint8Array => Buffer.from(words)
/** Words that do not pack well, so that a file has many steps. */
const noise = (length: number): string =>
  Array.from({ length }, (_, index) => ((index * 2_654_435_761) >>> 7).toString(36)).join(' ')

/** What is found when the file is read in pieces of this many bytes. */
async function found(file: Uint8Array, piece = 256 * 1024): Promise<readonly string[]> {
  const search = createSecretSearch()
  for (let at = 0; at < file.byteLength; at += piece)
    await search.take(Buffer.from(file.subarray(at, at + piece)))
  search.close()
  expect(search.isCutShort).toBe(false)
  return search.found
}

/** An archive whose entries tell their length only at their end, as streaming writers make it. */
function streamed(entries: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const parts: Uint8Array[] = []
  const zip = new Zip((_error, part) => parts.push(part))
  for (const [name, bytes] of Object.entries(entries)) {
    const entry = new ZipDeflate(name)
    zip.add(entry)
    entry.push(bytes, true)
  }
  zip.end()
  return Buffer.concat(parts)
}

/** The same, but the first entry says that it is packed in a way that nobody knows. */
function behindUnknown(zip: Uint8Array): Uint8Array {
  return Buffer.concat([zip.subarray(0, 8), Buffer.from([97, 0]), zip.subarray(10)])
}

const runs = `<w:document><w:body><w:p><w:r><w:t>密钥 sk-abcdefgh</w:t></w:r><w:proofErr w:type="spellStart"/><w:r><w:t>ijklmnopqrstuvwx</w:t></w:r></w:p></w:body></w:document>`
const cells = `<sst><si><t>名称</t></si><si><t>${KEY}</t></si></sst>`

describe('X2: keys inside archives and office documents', () => {
  it.each([
    ['a zip', zipSync({ 'a.txt': text('nothing'), 'deep/env': text(`KEY=${KEY}\n`) })],
    ['a zip that packs nothing', zipSync({ env: text(`KEY=${KEY}\n`) }, { level: 0 })],
    ['a zip of a streaming writer', streamed({ 'a.txt': text(noise(9_000)), env: text(`KEY=${KEY}\n`) })],
    ['a Word document, cut into runs', zipSync({ 'word/document.xml': text(runs) })],
    [
      'a workbook',
      zipSync({ 'xl/worksheets/sheet1.xml': text('<c/>'), 'xl/sharedStrings.xml': text(cells) }),
    ],
    ['a gzip file', gzipSync(text(`${noise(5_000)} ${KEY}`))],
    ['a gzip file of two members', Buffer.concat([gzipSync(text('one ')), gzipSync(text(KEY))])],
    [
      'a workbook whose key stands where two unpacked pieces meet',
      zipSync({
        'xl/sharedStrings.xml': text(`${'<t>.</t>'.repeat(8_191)}<t>sk-abcdefghijklmno</t><t>pqrstuvwx</t>`),
      }),
    ],
    [
      'an entry behind one that is packed in another way',
      behindUnknown(zipSync({ 'a.bin': text(noise(9_000)), env: text(KEY) })),
    ],
    ['an entry behind pictures', zipSync({ 'a.png': text(noise(9_000)), env: text(KEY) })],
  ])('%s: is found, in pieces of any size', async (_what, file) => {
    expect(Buffer.from(file).includes(KEY) && _what !== 'a zip that packs nothing').toBe(false)
    for (const piece of [256 * 1024, 1_000, 97]) expect(await found(file, piece)).toEqual(['sk-a••••(27)'])
  })

  it.each([
    ['a harmless document', zipSync({ 'word/document.xml': text('<w:t>一切正常</w:t>') })],
    ['a picture in it', zipSync({ 'word/media/image1.png': text(KEY) })],
    ['half an archive', zipSync({ env: text(noise(5_000)) }).subarray(0, 900)],
    ['what only begins like one', text('PK\x03\x04 and then words')],
    ['an empty file', new Uint8Array()],
  ])('%s: nothing, and no fault', async (_what, file) => {
    expect(await found(file)).toEqual([])
  })
})
