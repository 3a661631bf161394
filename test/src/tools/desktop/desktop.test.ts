import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killOwnProcesses, ownProcesses } from '../../../support/processes.ts'
import { errorOf, textOf } from '../bench.ts'
import { type DesktopStage, openDesktopStage } from './stage.ts'

let stage: DesktopStage
beforeAll(() => {
  stage = openDesktopStage()
})
afterAll(() => stage.stop())

const script = (text: string) => stage.call('ax_script', { script: text })
/** What the editor on the desktop holds, by its accessibility tree. */
const editorText = async (): Promise<string> => {
  const read = textOf(await script('read role "text"'))
  return JSON.parse(/text (".*")/.exec(read)?.[1] ?? '""') as string
}

it('what was opened last is what is typed into and read, at once', async () => {
  const own = openDesktopStage()
  for (const words of ['第一次', '第二次']) {
    expect((await own.call('ax_script', { script: 'open mousepad' })).ok).toBe(true)
    await own.call('keyboard_type', { text: words })
    const read = textOf(await own.call('ax_script', { script: 'read role "text"' }))
    expect(read).toContain(`text "${words}"`)
  }
  await own.stop()
})

describe('the virtual desktop', () => {
  it('opens a program that the operator allows, and shows its elements', async () => {
    const text = textOf(await script('open mousepad\ntree'))
    expect(text).toContain('open: Untitled 1 - Mousepad')
    expect(text).toMatch(/#\d+ menu "File"/)
    expect(text).toMatch(/#\d+ text .*focused/)
  })

  it('types Chinese into the program, and reads back exactly that', async () => {
    const words = '你好，驿站！今天是 2026 年，𠮷野家 ok?'
    expect(textOf(await stage.call('keyboard_type', { text: words }))).toBe(
      `Typed ${[...words].length} characters.`,
    )
    expect(await editorText()).toBe(words)
  })

  it('presses combinations: everything is selected and replaced', async () => {
    await stage.call('keyboard_key', { key: 'Ctrl+A' })
    await stage.call('keyboard_type', { text: '第一行\n第二行' })
    expect(await editorText()).toBe('第一行\n第二行')
    await stage.call('keyboard_key', { key: 'Ctrl+A' })
    await stage.call('keyboard_type', { text: 'plain: {"a": [1, 2]} ~$#\nend' })
    await expect.poll(editorText, { timeout: 5_000 }).toBe('plain: {"a": [1, 2]} ~$#\nend')
    const error = errorOf(await stage.call('keyboard_key', { key: 'Ctrl+Nichts' }))
    expect(error).toMatchObject({ type: 'invalid_argument', hint: expect.stringContaining('F1–F12') })
  })

  it('sets a text through the accessibility tree', async () => {
    expect(textOf(await script('set role "text" "直接写入"'))).toContain('直接写入')
    expect(await editorText()).toBe('直接写入')
  })

  it('clicks a menu by its name and an entry of it, and the window answers', async () => {
    await script('click role "menu" name "Edit"')
    await stage.call('keyboard_key', { key: 'Escape' })
    const clicked = await stage.call('mouse_click', { x: 640, y: 400 })
    expect(textOf(clicked)).toContain('Open windows: ')
    expect((await stage.call('mouse_scroll', { x: 640, y: 400, clicks: -3 })).ok).toBe(true)
    expect((await stage.call('mouse_drag', { from_x: 600, from_y: 157, to_x: 500, to_y: 100 })).ok).toBe(true)
  })

  it('a picture goes to the model as an image, and into the chat when asked', async () => {
    const seen = await stage.call('screenshot', { send: true })
    expect(seen).toMatchObject({ ok: true, images: [{ mime: 'image/png' }] })
    const [picture] = stage.sent
    expect(picture).toMatchObject({ name: 'desktop.png', kind: 'image' })
    expect([picture?.bytes.readUInt32BE(16), picture?.bytes.readUInt32BE(20)]).toEqual([1280, 800])
    const window = await stage.call('screenshot_window', { title: 'mousepad' })
    expect(window).toMatchObject({ ok: true, text: expect.stringContaining('Mousepad') })
    expect(errorOf(await stage.call('screenshot_window', { title: 'Firefox' })).message).toContain('Mousepad')
  })

  it('opens a file of the workspace, and only of it', async () => {
    const path = join(stage.workspace(), '说明.txt')
    writeFileSync(path, '工作目录里的文件')
    chmodSync(path, 0o600)
    expect(textOf(await script('open mousepad "说明.txt"'))).toContain('说明.txt')
    expect(textOf(await script('tree'))).toContain('工作目录里的文件')
    expect(errorOf(await script('open mousepad ../../private/x')).type).toBe('refused')
    expect(errorOf(await script('open mousepad /etc/passwd')).type).toBe('refused')
  })

  it.each(['bash', 'xterm', '/usr/bin/mousepad', 'mousepad;id'])(
    'S17: "%s" is not opened',
    async (program) => {
      expect(errorOf(await script(`open ${program}`))).toMatchObject({
        type: 'refused',
        hint: expect.stringContaining('mousepad'),
      })
    },
  )

  it('an order that fails says which ones before it were done', async () => {
    const error = errorOf(await script('read role "text"\nclick #99999'))
    expect(error.type).toBe('not_found')
    expect(error.message).toContain('Orders 1 to 1 of 2 were done')
  })

  it('S17: everything on it runs as nobody, without network', () => {
    for (const name of ['Xvfb', 'openbox', 'mousepad']) {
      const [first] = ownProcesses(name)
      expect(first?.uid, name).toBeGreaterThan(0)
    }
  })

  it('T5: another session has another desktop', async () => {
    expect(textOf(await stage.call('screenshot', {}, 's2'))).toBe('No window is open.')
  })

  it('a desktop that was killed is a result, and the next call starts a new one', async () => {
    killOwnProcesses('Xvfb :1')
    expect(errorOf(await stage.call('screenshot', {})).type).toBe('failed')
    const again = async () => {
      const result = await stage.call('screenshot', {})
      return result.ok ? result.text : result.error.type
    }
    await expect.poll(again, { timeout: 15_000 }).toBe('No window is open.')
  })
})
