/** Tools that reach beyond the workspace: the web, the memory, skills and helpers. */
import type { Memory } from '../memory/memory.ts'
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
import type { HouseOptions } from './house.ts'

const MOST_TEAMS = 5
const KEPT_TURNS = 10

export function agentSource(options: HouseOptions, memory: Memory, skills: Skills): ToolSource {
  const all = [
    ...createMemoryTools(memory),
    createLoadSkillTool(skills),
    ...createAgentTools(teamStore(options)),
  ]
  return {
    tools: () => all,
    problem: (tool, text) =>
      tool.name === 'load_skill' && skills.list().length === 0 ? text('agents.skills_none') : undefined,
  }
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
