/** Teams of helpers and what was said with them. Every query names the session that owns the team. */
import type { Db } from '../store.ts'

export interface TeamMember {
  readonly name: string
  readonly role: string
}

export interface TeamRecord {
  readonly id: string
  readonly members: readonly TeamMember[]
}

export interface TeamTurn {
  readonly prompt: string
  readonly answer: string
  readonly tainted: boolean
}

/** Members are kept in their order; they never change. */
export async function insertTeam(db: Db, sessionId: string, team: TeamRecord, now: number): Promise<void> {
  await db
    .insertInto('teams')
    .values({ id: team.id, session_id: sessionId, members: JSON.stringify(team.members), created_at: now })
    .execute()
}

/** For the limit of a session. */
export async function countTeams(db: Db, sessionId: string): Promise<number> {
  const rows = await db.selectFrom('teams').select('id').where('session_id', '=', sessionId).execute()
  return rows.length
}

/** Undefined for a team of another session, as for one that never was (T1). */
export async function findTeam(db: Db, sessionId: string, id: string): Promise<TeamRecord | undefined> {
  const row = await db
    .selectFrom('teams')
    .select('members')
    .where('id', '=', id)
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return row && { id, members: JSON.parse(row.members) as TeamMember[] }
}

/** Removes a team of the session and what was said with it; false when it has none of that id. */
export async function deleteTeam(db: Db, sessionId: string, id: string): Promise<boolean> {
  const gone = await db
    .deleteFrom('teams')
    .where('id', '=', id)
    .where('session_id', '=', sessionId)
    .returning('id')
    .executeTakeFirst()
  if (gone) await db.deleteFrom('team_turns').where('team_id', '=', id).execute()
  return gone !== undefined
}

/** Turns are read back in the order in which they were added. */
export async function addTeamTurn(
  db: Db,
  team: string,
  member: string,
  turn: TeamTurn,
  now: number,
): Promise<void> {
  const { prompt, answer, tainted } = turn
  await db
    .insertInto('team_turns')
    .values({ team_id: team, member, prompt, answer, tainted: tainted ? 1 : 0, created_at: now })
    .execute()
}

/** The newest exchanges with a member, oldest first. */
export async function recentTurns(db: Db, team: string, member: string, limit: number): Promise<TeamTurn[]> {
  const rows = await db
    .selectFrom('team_turns')
    .select(['prompt', 'answer', 'tainted'])
    .where('team_id', '=', team)
    .where('member', '=', member)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.reverse().map((row) => ({ ...row, tainted: row.tainted !== 0 }))
}
