/** The corp tree with its lookups. Ids of people compare without case, all other ids exactly. */
import type { Corp, CorpApp, CorpBot, CorpDepartment, CorpGroup, CorpMember, VisibleRange } from './corp.ts'

export interface Org {
  readonly corp: Corp
  member(userid: string): CorpMember | undefined
  department(id: number): CorpDepartment | undefined
  /** The department and everything below it. */
  descendants(id: number): Set<number>
  app(agentId: number): CorpApp | undefined
  bot(botId: string): CorpBot | undefined
  group(chatId: string): CorpGroup | undefined
  robotGroup(key: string): CorpGroup | undefined
  /** Whether a range contains the person; no range means everyone. */
  sees(range: VisibleRange | undefined, userid: string): boolean
  put(change: Partial<Pick<Corp, 'departments' | 'members' | 'apps' | 'bots' | 'groups'>>): void
}

export const sameUser = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const replaced = <T>(list: readonly T[], additions: readonly T[], same: (a: T, b: T) => boolean): T[] => [
  ...list.filter((old) => !additions.some((added) => same(old, added))),
  ...additions,
]

export function createOrg(initial: Corp): Org {
  const corp: Corp = { ...initial }
  const member = (userid: string): CorpMember | undefined =>
    corp.members.find((one) => sameUser(one.userid, userid))
  const descendants = (id: number): Set<number> => {
    const found = new Set([id])
    for (const at of found) {
      for (const child of corp.departments) if (child.parentId === at) found.add(child.id)
    }
    return found
  }
  return {
    corp,
    member,
    department: (id) => corp.departments.find((one) => one.id === id),
    descendants,
    app: (agentId) => corp.apps.find((one) => one.agentId === agentId),
    bot: (botId) => corp.bots.find((one) => one.botId === botId),
    group: (chatId) => corp.groups.find((one) => one.chatId === chatId),
    robotGroup: (key) => corp.groups.find((one) => one.robots?.some((robot) => robot.key === key)),
    sees: (range, userid) => {
      if (!range) return true
      const person = member(userid)
      if (!person || person.foreign) return false
      if (range.members?.some((id) => sameUser(id, userid))) return true
      return (range.departments ?? []).some((id) => {
        const tree = descendants(id)
        return person.departments.some((own) => tree.has(own))
      })
    },
    put: (change) => {
      corp.departments = replaced(corp.departments, change.departments ?? [], (a, b) => a.id === b.id)
      corp.members = replaced(corp.members, change.members ?? [], (a, b) => sameUser(a.userid, b.userid))
      corp.apps = replaced(corp.apps, change.apps ?? [], (a, b) => a.agentId === b.agentId)
      corp.bots = replaced(corp.bots, change.bots ?? [], (a, b) => a.botId === b.botId)
      corp.groups = replaced(corp.groups, change.groups ?? [], (a, b) => a.chatId === b.chatId)
    },
  }
}
