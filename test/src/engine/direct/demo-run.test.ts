import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDirectEngine } from '../../../../src/engine/index.ts'
import { createTranslate } from '../../../../src/locale/index.ts'
import { createDemoModel } from '../../../../src/model/demo.ts'
import { builtinTools, toolsFor } from '../../../../src/tools/index.ts'
import { createManualClock } from '../../../support/clock.ts'
import { collect, createFakeGate, engineDeps } from '../../../support/engine-deps.ts'
import { createMemorySession } from '../../../support/memory-session.ts'
import { ZONE } from '../../../support/zone.ts'

let folder = ''
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'yizhan-demo-')))
  await mkdir(join(folder, 'workspace'))
  await mkdir(join(folder, 'private'))
  await writeFile(join(folder, 'workspace', '说明.md'), '你好')
  await writeFile(join(folder, 'workspace', 'a.csv'), '1,2')
})
afterEach(() => rm(folder, { recursive: true }))

describe('demo model on the real tools', () => {
  it('lists, writes a true report and sends it, then says so', async () => {
    const base = createMemorySession()
    const session = { ...base, workspace: join(folder, 'workspace') }
    base.say('列出工作目录里的文件，然后写一份 report.md 发给我')
    const model = createDemoModel({
      clock: createManualClock(),
      zone: ZONE,
      text: createTranslate('zh-CN'),
      pieceMs: 0,
    })
    const deps = engineDeps(session, {
      model,
      gate: createFakeGate(() => session),
      tools: toolsFor('feishu', builtinTools()),
      privateDir: join(folder, 'private'),
    })
    const sent: string[] = []
    const toolContext: typeof deps.toolContext = (callId) => ({
      ...deps.toolContext(callId),
      text: createTranslate('zh-CN'),
      sendFile: async ({ name, path }) => {
        sent.push(`${name}: ${await readFile(path, 'utf8')}`)
        return { ok: true, messageId: 'om_1' }
      },
    })
    const zh = { ...deps, text: createTranslate('zh-CN'), toolContext }
    const events = await collect(createDirectEngine().run(session, zh, new AbortController().signal))
    expect(events.flatMap((event) => (event.type === 'tool_ended' ? [event.status] : []))).toEqual([
      'ok',
      'ok',
      'ok',
    ])
    expect(events.at(-1)).toEqual({
      type: 'ended',
      outcome: 'done',
      text: '已经做完：共看到 2 个文件，摘要写进了 report.md，并已发到这个会话。',
    })
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatch(/^report\.md: # 工作目录报告/)
    expect(sent[0]).toContain('- a.csv\n- 说明.md')
  })

  it('keeps the fixed prompt with all tools under 16 KB', async () => {
    const { buildSystemPrompt } = await import('../../../../src/engine/index.ts')
    const { createToolRegistry } = await import('../../../../src/tools/index.ts')
    const facts = { botName: '驿站', chatType: 'group', workspaceNote: '', rules: '' } as const
    for (const locale of ['zh-CN', 'en'] as const) {
      const prompt = buildSystemPrompt({ ...facts, platform: '企业微信', locale })
      const { specs } = createToolRegistry(toolsFor('wecom', builtinTools()))
      expect(Buffer.byteLength(prompt + JSON.stringify(specs))).toBeLessThan(16 * 1024)
    }
  })
})
