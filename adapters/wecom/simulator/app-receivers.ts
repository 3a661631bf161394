/** Who gets a message/send (doc 90236): some receivers may be invalid while the call succeeds. */
import type { CorpApp } from './corp.ts'
import { sameUser } from './org.ts'
import { refuse } from './refusal.ts'
import type { World } from './world.ts'

/** Ids joined by `|`, as they stand in the request. */
interface Addressed {
  touser?: string | undefined
  toparty?: string | undefined
  totag?: string | undefined
}

interface Receivers {
  userids: string[]
  invalidUser: string[]
  invalidParty: string[]
  invalidTag: string[]
}

const ids = (text: string | undefined): string[] => (text ?? '').split('|').filter((id) => id !== '')

/** Resolves users, departments and tags within the visible range; 81013 when nobody is left, 82001 for none named. */
export function receiversOf(world: World, app: CorpApp, input: Addressed): Receivers {
  const [users, parties, tags] = [ids(input.touser), ids(input.toparty), ids(input.totag)]
  if (users.length + parties.length + tags.length === 0) throw refuse(82001)
  if (users.length > 1000 || parties.length > 100 || tags.length > 100)
    throw refuse(40058, 'too many receivers')
  const visible = world.org.corp.members.filter((one) => world.org.sees(app.visible, one.userid))
  if (users.includes('@all')) {
    return { userids: visible.map((one) => one.userid), invalidUser: [], invalidParty: [], invalidTag: [] }
  }
  const known = (id: string): boolean => visible.some((one) => sameUser(one.userid, id))
  const invalidParty = parties.filter((id) => !world.org.department(Number(id)))
  const departments = parties.flatMap((id) => [...world.org.descendants(Number(id))])
  const chosen = visible.filter(
    (one) =>
      users.some((id) => sameUser(id, one.userid)) || one.departments.some((id) => departments.includes(id)),
  )
  if (chosen.length === 0) throw refuse(81013)
  return {
    userids: chosen.map((one) => one.userid),
    invalidUser: users.filter((id) => !known(id)).map((id) => id.toLowerCase()),
    invalidParty,
    invalidTag: tags,
  }
}
