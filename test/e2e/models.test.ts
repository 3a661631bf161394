/**
 * The main job with real wire formats. By default a scripted provider on loopback answers; with these
 * variables set, the same conversation also goes to a real one:
 * `YIZHAN_TEST_OPENAI_BASE_URL`, `YIZHAN_TEST_OPENAI_API_KEY`, `YIZHAN_TEST_OPENAI_MODEL`;
 * `YIZHAN_TEST_ANTHROPIC_BASE_URL` (may be empty), `YIZHAN_TEST_ANTHROPIC_API_KEY`, `YIZHAN_TEST_ANTHROPIC_MODEL`.
 */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Endpoint, modelsYaml, type Reply, startEndpoint, type Turn } from './support/endpoint.ts'
import { openFeishuHouse } from './support/feishu-house.ts'
import type { House } from './support/house.ts'
import { openWecomHouse } from './support/wecom-house.ts'

vi.setConfig({ testTimeout: 180_000 })

let house: House | undefined
let endpoint: Endpoint | undefined
afterEach(async () => {
  await house?.stop()
  await endpoint?.stop()
})

const HOUSES = { feishu: openFeishuHouse, wecom: openWecomHouse }
const REPORT =
  '请只用工具：先列出工作目录里的文件，再写一份 report.md（随便写一句话），最后把它作为文件发给我。'
const COMMAND = '请运行命令 uname -a，并把输出告诉我。'

/** What a good model would do: list, write, send; or run, and tell. */
function script({ said, results, tools }: Turn): Reply {
  const asked = said.at(-1) ?? ''
  const send = tools.find((name) => name.endsWith('_send_file')) ?? ''
  if (asked.includes('report.md')) {
    const steps: Reply[] = [
      { text: ['先看看', '文件。'], calls: [{ name: 'glob', args: { pattern: '*' } }] },
      { calls: [{ name: 'write_file', args: { path: 'report.md', content: '# 报告\n' } }] },
      { calls: [{ name: send, args: { path: 'report.md' } }] },
    ]
    return steps[results.length] ?? { text: ['写好了，', 'report.md 已经发到群里。'] }
  }
  if (results.length === 0) return { calls: [{ name: 'shell', args: { command: 'uname -a' } }] }
  return { text: ['输出是：\n```\n', results.at(-1) ?? '', '\n```'] }
}

async function mainJob(running: House): Promise<void> {
  await running.say(REPORT)
  const file = await running.until(() => running.shown().find((message) => message.file), 'the file', 90_000)
  expect(file.file?.name).toBe('report.md')
  expect(file.file?.bytes.length).toBeGreaterThan(0)
  await running.until(() => running.finals()[0], 'the first answer', 90_000)

  await running.say(COMMAND)
  const card = await running.until(
    () => running.shown().find((message) => message.buttons.includes('允许')),
    'the card',
    90_000,
  )
  expect(card.text).toContain('uname -a')
  expect(await running.press(card.id, '允许', running.people.admin)).toBe('changed')
  const final = await running.until(() => running.finals()[1], 'the second answer', 90_000)
  expect(final.text).toContain('Linux')
}

describe.each(['openai', 'anthropic'] as const)('the main job with an %s endpoint', (format) => {
  it.each(Object.entries(HOUSES))('on %s, streaming', async (_platform, openHouse) => {
    endpoint = await startEndpoint(format, script)
    house = await openHouse({ yaml: endpoint.yaml })
    await mainJob(house)
    expect(endpoint.turns).toHaveLength(6)
    expect(endpoint.turns[3]?.results).toHaveLength(3)
    // The second request of the conversation carries the first one with it.
    expect(endpoint.turns[4]?.said.some((text) => text.includes('report.md'))).toBe(true)
  })

  it('a half answer is on the screen while the rest is still being written', async () => {
    const gate = Promise.withResolvers<void>()
    endpoint = await startEndpoint(format, () => ({ text: halfway(gate.promise) }))
    house = await openFeishuHouse({ yaml: endpoint.yaml })
    await house.say('讲个故事')
    const half = await house.until(
      () => house?.shown().find((message) => message.text.includes('很久很久以前')),
      'the first half',
    )
    expect(half.text).not.toContain('完。')
    expect(half.finished).toBe(false)
    gate.resolve()
    const final = await house.until(() => house?.finals()[0], 'the whole')
    expect(final.text).toContain('很久很久以前，有一座驿站。完。')
  })

  const real = realProfile(format)
  it.runIf(real !== undefined)('on feishu, with the real endpoint of the environment', async () => {
    if (!real) return
    house = await openFeishuHouse({ yaml: modelsYaml(format, real) })
    await mainJob(house)
  })
})

async function* halfway(gate: Promise<void>): AsyncIterable<string> {
  yield '很久很久以前，'
  await gate
  yield '有一座驿站。完。'
}

function realProfile(
  format: 'openai' | 'anthropic',
): { baseUrl: string; apiKey: string; model: string } | undefined {
  const read = (name: string): string => process.env[`YIZHAN_TEST_${format.toUpperCase()}_${name}`] ?? ''
  const fallback = format === 'anthropic' ? 'https://api.anthropic.com' : ''
  const baseUrl = read('BASE_URL') || fallback
  const model = read('MODEL')
  return baseUrl === '' || model === '' ? undefined : { baseUrl, apiKey: read('API_KEY'), model }
}
