/** Teams as their tools keep them: behind a port, each bound to the session that made it. */
export interface TeamMember {
  readonly name: string
  readonly role: string
}

export interface TeamExchange {
  readonly prompt: string
  readonly answer: string
  /** True when other people's words went into the answer. */
  readonly tainted: boolean
}

/** `find` and `remove` check whose team it is; `remember` and `recent` rely on a `find` before. */
export interface TeamStore {
  /** Id of the new team; undefined when the session has its most already. */
  create(sessionId: string, members: readonly TeamMember[]): Promise<string | undefined>
  /** Members of a team of this session; undefined for any other id. */
  find(sessionId: string, teamId: string): Promise<readonly TeamMember[] | undefined>
  remember(teamId: string, member: string, exchange: TeamExchange): Promise<void>
  /** The newest exchanges with a member, oldest first. */
  recent(teamId: string, member: string): Promise<readonly TeamExchange[]>
  /** False when the session has no such team. */
  remove(sessionId: string, teamId: string): Promise<boolean>
}
