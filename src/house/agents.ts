/** Tools that reach beyond the workspace: the web, the memory, skills and helpers. */
import type { Memory } from '../memory/memory.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import type { AnyTool } from '../protocol/tool.ts'
import type { Skills } from '../skills/skills.ts'
import {
  addTeamTurn,
  countTeams,
  deleteTeam,
  findTeam,
  insertTeam,
  recentTurns,
} from '../store/repositories/teams.ts'
import { createAgentTools } from '../tools/agents/index.ts'
import type { TeamStore } from '../tools/agents/team-store.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import { createMemoryTools } from '../tools/memory/index.ts'
import { createLoadSkillTool } from '../tools/skills/load-skill.ts'
import { createReader } from '../tools/web/reader/reader.ts'
import { createApiSource } from '../tools/web/sources/apis.ts'
import { createPageSources } from '../tools/web/sources/pages.ts'
import { createWebFetchTool } from '../tools/web/web-fetch.ts'
import { createWebSearchTool } from '../tools/web/web-search.ts'
import type { HouseOptions } from './house.ts'

const MOST_TEAMS = 5
const KEPT_TURNS = 10

export function agentSource(options: HouseOptions, memory: Memory, skills: Skills): ToolSource {
  const all = [
    ...createMemoryTools(memory),
    createLoadSkillTool(skills),
    ...createAgentTools(teamStore(options)),
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

function webTools({ config, clock }: HouseOptions): AnyTool[] {
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

/** Teams in the database, each seen by its own session only. */
function teamStore({ store, random, clock }: HouseOptions): TeamStore {
  const { db } = store
  return {
    create: (sessionId, members) =>
      store.transaction(async (trx) => {
        if ((await countTeams(trx, sessionId)) >= MOST_TEAMS) return undefined
        const id = `team-${random.id()}`
        await insertTeam(trx, sessionId, { id, members }, clock.now())
        return id
      }),
    find: async (sessionId, teamId) => (await findTeam(db, sessionId, teamId))?.members,
    remember: (teamId, member, exchange) => addTeamTurn(db, teamId, member, exchange, clock.now()),
    recent: (teamId, member) => recentTurns(db, teamId, member, KEPT_TURNS),
    remove: (sessionId, teamId) => store.transaction((trx) => deleteTeam(trx, sessionId, teamId)),
  }
}
