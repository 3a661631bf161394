import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { dataDirOf } from '../../../src/config/data-dir.ts'
import { configSchema } from '../../../src/config/schema.ts'

it('the playground keeps what it has apart from a service with bots of its own', () => {
  const bot = { id: 'a', platform: 'feishu', appId: 'cli_0123456789abcdef', appSecret: 's' }
  expect(dataDirOf(configSchema.parse({}))).toBe(resolve('data/playground'))
  expect(dataDirOf(configSchema.parse({ bots: [bot] }))).toBe(resolve('data'))
  expect(dataDirOf(configSchema.parse({ dataDir: '/srv/y', bots: [bot] }))).toBe('/srv/y')
})
