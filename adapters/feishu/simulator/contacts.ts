/** People and departments; what the app has no permission for is silently left out. */
import { arrayOf, type JsonObject, objectOf, textOf } from './json.ts'
import { findUser, openIdOf } from './people.ts'
import { type Call, data, type Platform, type Reply, type Route } from './platform.ts'
import { invalidField, Refusal } from './refusal.ts'
import { needs } from './scopes.ts'
import type { App, User } from './state.ts'

const contact = '/open-apis/contact/v3'

/** The calls of `contact/v3` about people and departments. */
export function contactRoutes(platform: Platform): Route[] {
  return [
    {
      method: 'GET',
      path: `${contact}/users/find_by_department`,
      needs: needs.contact,
      handle: (call) => byDepartment(platform, call),
    },
    {
      method: 'GET',
      path: `${contact}/users/:user_id`,
      needs: needs.contact,
      handle: (call) => getUser(platform, call),
    },
    {
      method: 'POST',
      path: `${contact}/users/basic_batch`,
      needs: needs.basicProfile,
      handle: (call) => basicBatch(platform, call),
    },
    {
      method: 'POST',
      path: `${contact}/users/batch_get_id`,
      needs: needs.userId,
      handle: (call) => batchGetId(platform, call),
    },
    {
      method: 'GET',
      path: `${contact}/departments/batch`,
      needs: needs.department,
      handle: (call) => departments(platform, call),
    },
    {
      method: 'GET',
      path: `${contact}/departments/:department_id`,
      needs: needs.department,
      handle: (call) => department(platform, call),
    },
  ]
}

function idType(call: Call): string {
  return call.query.get('user_id_type') ?? 'open_id'
}

function idOf(platform: Platform, app: App, type: string, user: User): string {
  if (type === 'user_id') return user.userId
  if (type === 'union_id') return user.unionId
  return openIdOf(platform.state, { kind: 'user', id: user.userId }, app.appId)
}

function visible(platform: Platform, app: App, user: User): JsonObject {
  const has = (scope: string): boolean => app.scopes.has(scope)
  return {
    open_id: openIdOf(platform.state, { kind: 'user', id: user.userId }, app.appId),
    union_id: user.unionId,
    ...(has('contact:user.employee_id:readonly') ? { user_id: user.userId } : {}),
    ...(has('contact:user.base:readonly') ? { name: user.name, en_name: '' } : {}),
    ...(has('contact:user.department:readonly') ? { department_ids: user.departments } : {}),
    ...(has('contact:user.email:readonly') ? { email: user.email } : {}),
    status: { is_activated: true, is_resigned: user.resigned, is_frozen: false },
  }
}

function getUser(platform: Platform, call: Call): Reply {
  const type = idType(call)
  const { user, otherApp } = findUser(platform.state, call.app, type, call.params['user_id'] ?? '')
  if (otherApp) throw new Refusal(99992361, 'open_id cross app')
  if (!user) throw new Refusal(type === 'open_id' ? 99992351 : 41012, 'user id invalid error')
  if (user.tenantKey !== call.app.tenantKey) throw new Refusal(41050, 'no user authority error')
  return data({ user: visible(platform, call.app, user) })
}

function basicBatch(platform: Platform, call: Call): Reply {
  const ids = arrayOf(objectOf(call.body)['user_ids']).map(textOf)
  if (ids.length === 0 || ids.length > 10)
    throw invalidField('user_ids', 'the length must be between 1 and 10')
  const type = idType(call)
  const users = ids.flatMap((id) => findUser(platform.state, call.app, type, id).user ?? [])
  const own = users.filter((user) => user.tenantKey === call.app.tenantKey)
  return data({
    users: own.map((user) => ({
      user_id: idOf(platform, call.app, type, user),
      name: user.name,
      i18n_name: { zh_cn: user.name, en_us: '', ja_jp: '' },
    })),
  })
}

function batchGetId(platform: Platform, call: Call): Reply {
  const body = objectOf(call.body)
  const users = [...platform.state.users.values()].filter((user) => user.tenantKey === call.app.tenantKey)
  const entry = (key: 'email' | 'mobile', value: string): JsonObject => {
    const user = users.find((one) => one[key] === value && !one.resigned)
    return { [key]: value, ...(user ? { user_id: idOf(platform, call.app, idType(call), user) } : {}) }
  }
  const emails = arrayOf(body['emails']).map((value) => entry('email', textOf(value)))
  const mobiles = arrayOf(body['mobiles']).map((value) => entry('mobile', textOf(value)))
  return data({ user_list: [...emails, ...mobiles] })
}

function byDepartment(platform: Platform, call: Call): Reply {
  const id = call.query.get('department_id')
  if (id === null) throw invalidField('department_id', 'department_id is required')
  const users = [...platform.state.users.values()].filter(
    (user) => user.tenantKey === call.app.tenantKey && (id === '0' || user.departments.includes(id)),
  )
  return data({
    items: users.map((user) => visible(platform, call.app, user)),
    has_more: false,
    page_token: '',
  })
}

function departmentView(platform: Platform, id: string): JsonObject {
  const name = platform.state.departments.get(id)
  if (name === undefined) throw new Refusal(43003, 'department does not exist')
  const members = [...platform.state.users.values()].filter((user) => user.departments.includes(id))
  return {
    name,
    open_department_id: id,
    department_id: id,
    parent_department_id: '0',
    member_count: members.length,
  }
}

function department(platform: Platform, call: Call): Reply {
  return data({ department: departmentView(platform, call.params['department_id'] ?? '') })
}

function departments(platform: Platform, call: Call): Reply {
  return data({ items: call.query.getAll('department_ids').map((id) => departmentView(platform, id)) })
}
