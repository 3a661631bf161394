import { afterEach, describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { agentSource } from '../../../src/house/agents.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createSkills } from '../../../src/skills/skills.ts'
import type { Store } from '../../../src/store/store.ts'
import { createToolCatalogue } from '../../../src/tools/catalogue.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createTestMemory } from '../../support/memory.ts'
import { createSeededRandom } from '../../support/random.ts'
import { openTestStore } from '../../support/store.ts'

let store: Store
afterEach(() => store?.close())

async function problems(search: object): Promise<Record<string, string | undefined>> {
  store = await openTestStore()
  const config = configSchema.parse({ search })
  const options = { config, store, clock: createManualClock(), random: createSeededRandom('house') }
  const skills = createSkills({ folders: [], dataDir: '/nowhere', logger: createCollectingLogger() })
  const source = agentSource(options, createTestMemory(store), skills)
  const summaries = createToolCatalogue([source]).summaries(
    { botId: 'ops', platform: 'feishu', mayOperate: true },
    createTranslate('zh-CN'),
  )
  return Object.fromEntries(summaries.map((one) => [one.name, one.problem]))
}

describe('tools that reach beyond the workspace', () => {
  it('are thirteen, each described; what is missing is said with what to do', async () => {
    const found = await problems({ sources: [], keyless: false })
    expect(Object.keys(found)).toEqual([
      'recall_memory',
      'remember_fact',
      'recall_fact',
      'memory_replace',
      'memory_append',
      'load_skill',
      'dispatch_agent',
      'spawn_team',
      'team_broadcast',
      'team_send',
      'team_close',
      'web_search',
      'web_fetch',
    ])
    expect(found['load_skill']).toContain('~/.yizhan/skills')
    expect(found['web_search']).toContain('search.sources')
    expect(found['web_fetch']).toBeUndefined()
  })

  it('a configured search has no problem; the public pages are named as a makeshift', async () => {
    const sources = [{ kind: 'searxng', baseUrl: 'https://s.example' }]
    expect((await problems({ sources }))['web_search']).toBeUndefined()
    await store.close()
    expect((await problems({}))['web_search']).toContain('公开结果页')
  })
})
