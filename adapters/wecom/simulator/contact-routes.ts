/** Contacts as a self-built app sees them: only its visible range, without phone, mail or avatar (doc 96260). */
import { z } from 'zod'
import type { Route, Routes } from './api.ts'
import type { CorpApp, CorpDepartment, CorpMember } from './corp.ts'
import type { Org } from './org.ts'
import { accept, refuse } from './refusal.ts'
import type { World } from './world.ts'

const pageSchema = z.looseObject({
  cursor: z.string().optional(),
  limit: z.number().int().min(1).max(10_000).default(10_000),
})

const memberWire = (one: CorpMember): object => ({
  userid: one.userid,
  name: one.name,
  department: one.departments,
  order: one.departments.map(() => 0),
  is_leader_in_dept: one.departments.map((id) => (one.leads?.includes(id) ? 1 : 0)),
  direct_leader: one.directLeaders ?? [],
  main_department: one.mainDepartment ?? one.departments[0] ?? 1,
  position: one.position ?? '',
  status: one.status ?? 1,
})

const departmentWire = (one: CorpDepartment): object => ({
  id: one.id,
  name: one.name,
  parentid: one.parentId ?? 0,
  order: one.id,
  department_leader: one.leaders ?? [],
})

export function contactRoutes({ org }: World): Routes {
  const get = (run: (app: CorpApp, query: URLSearchParams) => object): Route => ({
    method: 'GET',
    access: 'app',
    run: (call, app) => run(app, call.query),
  })
  return {
    'user/get': get((app, query) => user(org, app, query.get('userid') ?? '')),
    'user/list_id': { method: 'POST', access: 'app', run: (call, app) => listIds(org, app, call.json()) },
    'department/list': get((app, query) => ({
      department: below(org, app, query.get('id')).map(departmentWire),
    })),
    'department/simplelist': get((app, query) => ({
      department_id: below(org, app, query.get('id')).map(({ id, parentId }) => ({
        id,
        parentid: parentId ?? 0,
        order: id,
      })),
    })),
    'agent/get': get((app, query) => agent(org, app, Number(query.get('agentid')))),
  }
}

/** The visible departments at and below `id`, or all visible ones. */
function below(org: Org, app: CorpApp, id: string | null): CorpDepartment[] {
  const ids = new Set((app.visible.departments ?? []).flatMap((one) => [...org.descendants(one)]))
  const visible = org.corp.departments.filter((one) => ids.has(one.id))
  if (id === null || id === '') return visible
  if (!org.department(Number(id))) throw refuse(60003)
  if (!visible.some((one) => one.id === Number(id))) throw refuse(60011)
  const tree = org.descendants(Number(id))
  return visible.filter((one) => tree.has(one.id))
}

function user(org: Org, app: CorpApp, userid: string): object {
  if (userid === '') throw refuse(40003)
  const member = org.member(userid)
  if (!member || member.foreign) throw refuse(60111)
  if (!org.sees(app.visible, member.userid)) throw refuse(60011)
  return memberWire(member)
}

function listIds(org: Org, app: CorpApp, body: unknown): object {
  const { cursor, limit } = accept(pageSchema, body)
  const pairs = org.corp.members
    .filter((one) => org.sees(app.visible, one.userid))
    .flatMap((one) => one.departments.map((department) => ({ userid: one.userid, department })))
  const start = Number(cursor === undefined || cursor === '' ? 0 : cursor)
  if (!Number.isInteger(start)) throw refuse(40058, 'cursor')
  const next = start + limit
  return { dept_user: pairs.slice(start, next), next_cursor: next < pairs.length ? String(next) : '' }
}

function agent(org: Org, app: CorpApp, agentId: number): object {
  if (!org.app(agentId)) throw refuse(40056)
  if (agentId !== app.agentId) throw refuse(301002)
  return {
    agentid: app.agentId,
    name: app.name,
    close: app.disabled ? 1 : 0,
    allow_userinfos: { user: (app.visible.members ?? []).map((userid) => ({ userid })) },
    allow_partys: { partyid: app.visible.departments ?? [] },
    allow_tags: { tagid: [] },
  }
}
