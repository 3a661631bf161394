/** Teams of helpers as their tools keep them, in the database. */
import {
  addTeamTurn,
  countTeams,
  deleteTeam,
  findTeam,
  insertTeam,
  recentTurns,
} from '../store/repositories/teams.ts'
import type { TeamStore } from '../tools/agents/team-store.ts'
import type { HouseOptions } from './house.ts'

/** Teams that a session may have at a time, and exchanges that a member remembers. */
const MOST_TEAMS = 5
const KEPT_TURNS = 10

/** Teams in the database, each seen by its own session only. */
export function createTeamStore({
  store,
  random,
  clock,
}: Pick<HouseOptions, 'store' | 'random' | 'clock'>): TeamStore {
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
