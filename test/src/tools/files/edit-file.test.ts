import { chmodSync, readFileSync, statSync } from 'node:fs'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { errorOf, textOf, toolBench } from '../bench.ts'

describe('edit_file', () => {
  it('replaces the one occurrence and says where', async () => {
    using bench = toolBench()
    bench.put('a.yaml', 'host: x\nport: 80\n')
    const result = await bench.call('edit_file', {
      path: 'a.yaml',
      old_string: 'port: 80',
      new_string: 'port: $& 81',
    })
    expect(textOf(result)).toBe('Edited a.yaml (utf-8): 1 replaced, first at line 2.')
    expect(bench.get('a.yaml')).toBe('host: x\nport: $& 81\n')
  })

  it('refuses what occurs twice, with the count, unless told to replace all', async () => {
    using bench = toolBench()
    bench.put('a', 'x y x y x')
    expect(
      errorOf(await bench.call('edit_file', { path: 'a', old_string: 'x', new_string: 'z' })).message,
    ).toBe('old_string occurs 3 times in "a".')
    expect(bench.get('a')).toBe('x y x y x')
    textOf(await bench.call('edit_file', { path: 'a', old_string: 'x', new_string: 'z', replace_all: true }))
    expect(bench.get('a')).toBe('z y z y z')
  })

  it('says when the text is not there', async () => {
    using bench = toolBench()
    bench.put('a', 'text')
    expect(
      errorOf(await bench.call('edit_file', { path: 'a', old_string: 'Text', new_string: 'x' })).type,
    ).toBe('not_found')
    expect(errorOf(await bench.call('edit_file', { path: 'b', old_string: 'a', new_string: 'x' })).type).toBe(
      'not_found',
    )
  })

  it('F6: keeps CRLF, the mark, a missing final newline and the mode', async () => {
    using bench = toolBench()
    const path = bench.put('a.bat', '\ufeffone\r\ntwo\r\nthree')
    chmodSync(path, 0o750)
    textOf(await bench.call('edit_file', { path: 'a.bat', old_string: 'one\ntwo', new_string: '1\n2\n2b' }))
    expect(bench.get('a.bat')).toBe('\ufeff1\r\n2\r\n2b\r\nthree')
    expect(statSync(path).mode & 0o777).toBe(0o750)
  })

  it.each(['gb18030', 'utf-16le', 'utf-16be'])('F6: edits %s in its own encoding', async (encoding) => {
    using bench = toolBench()
    const encode = (text: string): Buffer =>
      iconv.encode(text, encoding, { addBOM: encoding.startsWith('utf-16') })
    const before = '配置文件：端口号是八零八零。\n第二行是说明文字。\n'
    const path = bench.put('a.txt', encode(before))
    expect(
      textOf(
        await bench.call('edit_file', { path: 'a.txt', old_string: '八零八零', new_string: '八七八七' }),
      ),
    ).toContain(`(${encoding})`)
    expect(readFileSync(path).equals(encode(before.replace('八零八零', '八七八七')))).toBe(true)
  })

  it('F6: refuses to edit what it cannot decode or write back without loss', async () => {
    using bench = toolBench()
    const binary = bench.put('bin', Buffer.from([1, 0, 2]))
    const western = bench.put('latin', Buffer.from('caf\u00e9 ferm\u00e9 d\u00e9sol\u00e9', 'latin1'))
    const before = readFileSync(western)
    expect(
      errorOf(await bench.call('edit_file', { path: 'bin', old_string: 'x', new_string: 'y' })).type,
    ).toBe('refused')
    expect(
      errorOf(await bench.call('edit_file', { path: 'latin', old_string: 'café', new_string: '咖啡' }))
        .message,
    ).toContain('windows-1252 cannot hold')
    expect(readFileSync(western).equals(before)).toBe(true)
    expect(readFileSync(binary).length).toBe(3)
  })

  it('F11: refuses when the file changed since the edit was made', async () => {
    using bench = toolBench()
    bench.put('a', 'one two')
    const result = await bench.call('edit_file', { path: 'a', old_string: 'one', new_string: '1' }, () =>
      bench.put('a', 'one three'),
    )
    expect(errorOf(result).message).toContain('has changed')
    expect(bench.get('a')).toBe('one three')
  })
})
