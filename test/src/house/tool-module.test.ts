import { describe, expect, it } from 'vitest'
import { createBrowsers } from '../../../src/browser/browsers.ts'
import { createDesktops } from '../../../src/desktop/desktops.ts'
import { sourceWithProblem } from '../../../src/house/tool-module.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createCells, type Lack } from '../../../src/sandbox/cell.ts'
import { createBrowserTools } from '../../../src/tools/browser/index.ts'
import { createToolCatalogue } from '../../../src/tools/catalogue.ts'
import { createDesktopTools } from '../../../src/tools/desktop/index.ts'
import { createToolRegistry } from '../../../src/tools/registry.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { errorOf, toolBench } from '../tools/bench.ts'

const clock = createManualClock()
const bare = {
  clock,
  cells: createCells('nobody', clock),
  epoch: async () => 0,
  path: '/nonexistent',
}
const browsers = createBrowsers({
  ...bare,
  rule: { allow: ['127.0.0.1:1'] },
  limits: { max: 1, idleMs: 1, keepMs: 1 },
  logger: createCollectingLogger(),
  privateRoot: '/nonexistent',
})
const desktop = { ...bare, programs: ['mousepad'], max: 1, idleMs: 1, exists: async () => false }
const desktops = createDesktops(desktop)

const CASES = [
  {
    tools: createBrowserTools(browsers),
    look: browsers.problem,
    call: ['browser_navigate', { url: 'http://127.0.0.1:1/', new_tab: false }] as const,
    install: 'apt-get install chromium',
  },
  {
    tools: createDesktopTools(desktops),
    look: desktops.problem,
    call: ['screenshot', { send: false }] as const,
    install:
      'apt-get install xvfb openbox xdotool maim dbus-x11 at-spi2-core gir1.2-atspi-2.0 python3-gi mousepad',
  },
]

describe('missing programs', () => {
  it.each(CASES)(
    'are said by /tools and by the call, with $install',
    async ({ tools, look, call, install }) => {
      const source = sourceWithProblem(tools, look)
      await source.look()
      const scope = { botId: 'ops', platform: 'feishu', mayOperate: true }
      const listed = createToolCatalogue([source]).summaries(scope, createTranslate('zh-CN'))
      expect(listed).toHaveLength(8)
      for (const { name, about, problem } of listed) {
        expect(problem, name).toContain(install)
        expect(about, name).not.toBe('')
      }
      using bench = toolBench()
      const [name, args] = call
      const tool = tools.find((one) => one.name === name)
      const result = await tool?.run(args, bench.context(), new AbortController().signal, {
        tool: name,
        args,
      })
      expect(result && errorOf(result)).toMatchObject({
        type: 'unavailable',
        message: expect.stringContaining(install),
      })
    },
  )

  it.each(CASES)(
    'a call is refused before a person is asked, with $install',
    async ({ tools, look, call, install }) => {
      const source = sourceWithProblem(tools, look)
      await source.look()
      using bench = toolBench({ tools: source.tools('ops') })
      const [name, args] = call
      const registry = createToolRegistry(source.tools('ops'))
      const tool = registry.find(name) ?? expect.fail(name)
      expect(await registry.bind(tool, args, bench.context())).toMatchObject({
        ok: false,
        error: { type: 'unavailable', message: expect.stringContaining(install) },
      })
    },
  )

  it('what is installed meanwhile is found at the next call', async () => {
    let lack: Lack | undefined = { key: 'chromium', params: {}, message: 'missing' }
    const source = sourceWithProblem(createDesktopTools(desktops), async () => lack)
    await source.look()
    lack = undefined
    const registry = createToolRegistry(source.tools('ops'))
    const tool = registry.find('screenshot') ?? expect.fail('screenshot')
    using bench = toolBench()
    expect(await registry.bind(tool, { send: true }, bench.context())).toMatchObject({ ok: true })
  })

  it('a part of the accessibility tree counts as well, and one of several programs may be missing', async () => {
    const path = '/usr/local/bin:/usr/bin:/bin'
    const lack = async (more: object) =>
      (await createDesktops({ ...desktop, path, ...more }).problem())?.params
    expect(await lack({ exists: async (file: string) => !file.includes('/gi/') })).toEqual({
      packages: 'python3-gi',
    })
    const exists = async () => true
    expect(await lack({ exists, programs: ['absent-editor'] })).toEqual({ packages: 'absent-editor' })
    expect(await lack({ exists, programs: ['absent-editor', 'mousepad'] })).toBeUndefined()
  })

  it('another source’s tools have no problem', async () => {
    const source = sourceWithProblem([], async () => ({ key: 'chromium', params: {}, message: 'missing' }))
    await source.look()
    const [tool] = createDesktopTools(desktops)
    expect(tool && source.problem?.(tool, createTranslate('en'))).toBeUndefined()
  })
})
