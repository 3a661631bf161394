/** Tools that reach beyond the workspace: the web, the memory, skills and helpers. */
import type { Memory } from '../memory/memory.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import type { AnyTool } from '../protocol/tool.ts'
import type { Skills } from '../skills/skills.ts'
import { createAgentTools } from '../tools/agents/index.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import { createMemoryTools } from '../tools/memory/index.ts'
import { onShelf } from '../tools/shelves.ts'
import { createLoadSkillTool } from '../tools/skills/load-skill.ts'
import { createReader } from '../tools/web/reader/reader.ts'
import { createApiSource } from '../tools/web/sources/apis.ts'
import { createPageSources } from '../tools/web/sources/pages.ts'
import { createWebFetchTool } from '../tools/web/web-fetch.ts'
import { createWebSearchTool } from '../tools/web/web-search.ts'
import type { HouseOptions } from './house.ts'
import { createTeamStore } from './teams.ts'

type AgentOptions = Pick<HouseOptions, 'config' | 'store' | 'random' | 'clock'>

/** These tools for every session; each says what is missing for it and where to configure that. */
export function agentSource(options: AgentOptions, memory: Memory, skills: Skills): ToolSource {
  const all = [
    ...memoryTools(memory),
    createLoadSkillTool(skills),
    ...onShelf('helpers', createAgentTools(createTeamStore(options))),
    ...webTools(options),
  ]
  const { sources, keyless } = options.config.search
  return {
    tools: () => all,
    problem: (tool, text) => {
      if (tool.name === 'load_skill' && skills.list().length === 0) return text('agents.skills_none')
      if (tool.name === 'web_search' && sources.length === 0) {
        return text(keyless ? 'web.search.keyless' : 'web.search.none')
      }
      return undefined
    },
  }
}

/** Facts are noted and found in any conversation; the rest is for those who tend the memory. */
function memoryTools(memory: Memory): AnyTool[] {
  const everyday = ['recall_memory', 'remember_fact']
  return createMemoryTools(memory).flatMap((tool) =>
    everyday.includes(tool.name) ? [tool] : onShelf('memory', [tool]),
  )
}

function webTools({ config, clock }: AgentOptions): AnyTool[] {
  const fetchPublic = createGuardedFetch({ allow: config.web.allowHosts, clock })
  const sources = [
    ...config.search.sources.map((source) => createApiSource(source, fetch)),
    ...(config.search.keyless ? createPageSources(fetchPublic) : []),
  ]
  return [
    createWebSearchTool(sources),
    createWebFetchTool({ fetch: fetchPublic, reader: createReader(clock), clock }),
  ]
}
