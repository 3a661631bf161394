/** R28: a service that is told to stop, once and twice, while a model keeps it waiting. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSystemClock } from '../../src/system/clock.ts'
import { until } from './support/company.ts'
import { type Endpoint, startEndpoint } from './support/endpoint.ts'
import { type FeishuCompany, openFeishuCompany } from './support/feishu-company.ts'
import { configText } from './support/house.ts'
import { type ServiceProcess, startService } from './support/service-process.ts'

vi.setConfig({ testTimeout: 120_000 })

let company: FeishuCompany
let endpoint: Endpoint
let config: string
let service: ServiceProcess
/** The model's first words come when this resolves. */
let words: PromiseWithResolvers<void>

beforeEach(async () => {
  words = Promise.withResolvers()
  const answer = async function* () {
    await words.promise
    yield '好了。'
  }
  company = await openFeishuCompany(createSystemClock())
  endpoint = await startEndpoint('openai', () => ({ text: answer() }))
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-stop-'))
  config = join(folder, 'yizhan.yaml')
  writeFileSync(config, configText(company, join(folder, 'data'), endpoint.yaml))
  service = await startService(config)
  await company.say('你好')
  await until(company, () => endpoint.turns.length > 0, service.log)
})
afterEach(async () => {
  words.resolve()
  await service.kill('SIGKILL')
  await endpoint.stop()
  await company.stop()
})

const signal = (name: NodeJS.Signals): boolean => process.kill(service.pid, name)
const logged = (text: string): Promise<boolean> =>
  until(company, () => service.log().includes(text), service.log)

describe('R28: a signal', () => {
  it('lets running work end: its answer is said, and the process leaves with 0', async () => {
    signal('SIGTERM')
    await logged('stopping; running work is finished')
    const ready = await fetch(new URL('/readyz', service.url()))
    expect({ status: ready.status, body: await ready.text() }).toMatchObject({
      status: 503,
      body: expect.stringContaining('it is stopping'),
    })
    words.resolve()
    expect(await service.code()).toBe(0)
    expect(company.finals()).toHaveLength(1)
  })

  it('for a second time ends the process at once; the answer comes once, after the next start', async () => {
    signal('SIGTERM')
    await logged('stopping; running work is finished')
    const before = performance.now()
    signal('SIGINT')
    expect(await service.code()).toBe(130)
    // Waiting for the run would have taken twenty seconds.
    expect(performance.now() - before).toBeLessThan(5_000)
    words.resolve()
    service = await startService(config)
    await until(company, () => company.finals()[0], service.log)
    expect(company.finals()).toHaveLength(1)
    expect(company.shown().filter(({ finished }) => !finished)).toEqual([])
  })
})
