import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStage, type Stage } from './stage.ts'

describe('identity, contacts and self check', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openStage()
  })
  afterEach(() => stage.close())

  const get = (path: string): ReturnType<Stage['call']> => stage.call('GET', path)
  const openId = (userId: string): string => stage.control.openId(userId, stage.app.appId)

  it('puts the bot at the top level of bot/v3/info', async () => {
    expect((await get('/bot/v3/info')).body).toMatchObject({
      code: 0,
      msg: 'ok',
      bot: { activate_status: 2, app_name: 'Agent', open_id: stage.app.botOpenId },
    })
    stage.control.updateApp(stage.app.appId, { bot: false })
    expect(await get('/bot/v3/info')).toMatchObject({ status: 200, code: 11205 })
  })

  it('tells chats, people in them without bots, and whether the bot is inside', async () => {
    expect((await get(`/im/v1/chats/${stage.group}`)).data).toMatchObject({
      name: 'team',
      chat_mode: 'group',
      group_message_type: 'chat',
      owner_id: openId(stage.ann),
      external: false,
    })
    const topics = stage.control.createChat({ members: [stage.ann], bots: [stage.app.appId], mode: 'topic' })
    expect((await get(`/im/v1/chats/${topics}`)).data).toMatchObject({
      chat_mode: 'topic',
      group_message_type: 'thread',
    })
    const first = await get(`/im/v1/chats/${stage.group}/members?page_size=1`)
    expect(first.data).toMatchObject({
      items: [{ member_id: openId(stage.ann), name: 'Ann' }],
      member_total: 2,
      has_more: true,
      page_token: '1',
    })
    expect((await get(`/im/v1/chats/${stage.group}/members?page_size=1&page_token=1`)).data).toMatchObject({
      items: [{ name: 'Bo' }],
      has_more: false,
    })
    expect((await get(`/im/v1/chats/${stage.group}/members?page_size=101`)).code).toBe(99992402)
    expect((await get('/im/v1/chats')).data).toMatchObject({
      items: [{ chat_id: stage.group }, { chat_id: topics }],
    })
    stage.control.removeBot(stage.group, stage.app.appId)
    expect((await get(`/im/v1/chats/${stage.group}/members/is_in_chat`)).data).toEqual({ is_in_chat: false })
    expect((await get(`/im/v1/chats/${stage.group}`)).code).toBe(232011)
    stage.control.disband(stage.group)
    expect((await get(`/im/v1/chats/${stage.group}`)).code).toBe(232009)
    expect((await get('/im/v1/chats/oc_none')).code).toBe(232006)
  })

  it('hides fields without their permission, and people of other companies', async () => {
    const path = `/contact/v3/users/${openId(stage.ann)}`
    expect((await get(path)).data).toMatchObject({ user: { name: 'Ann', user_id: stage.ann } })
    stage.control.updateApp(stage.app.appId, { scopes: ['contact:contact.base:readonly'] })
    const bare = JSON.stringify((await get(path)).data)
    expect([bare.includes('"name"'), bare.includes('"user_id"')]).toEqual([false, false])
    const stranger = stage.control.createUser({ name: 'Out', tenantKey: stage.control.createTenant('other') })
    expect((await get(`/contact/v3/users/${openId(stranger.userId)}`)).code).toBe(41050)
    expect((await get('/contact/v3/users/ou_none')).code).toBe(99992351)
    expect((await get('/contact/v3/users/none?user_id_type=user_id')).code).toBe(41012)
  })

  it('resolves names of up to ten, and ids by address', async () => {
    const ids = [openId(stage.ann), openId(stage.bo), 'ou_none']
    const names = await stage.call('POST', '/contact/v3/users/basic_batch?user_id_type=open_id', {
      user_ids: ids,
    })
    expect(names.data).toMatchObject({
      users: [
        { user_id: ids[0], name: 'Ann' },
        { user_id: ids[1], name: 'Bo' },
      ],
    })
    expect(
      (
        await stage.call('POST', '/contact/v3/users/basic_batch', {
          user_ids: Array.from({ length: 11 }, () => 'x'),
        })
      ).code,
    ).toBe(99992402)
    const found = await stage.call('POST', '/contact/v3/users/batch_get_id', {
      emails: ['ann@example.com', 'no@example.com'],
    })
    expect(found.data).toEqual({
      user_list: [{ email: 'ann@example.com', user_id: ids[0] }, { email: 'no@example.com' }],
    })
  })

  it('knows departments', async () => {
    const id = stage.control.createDepartment('研发')
    const user = stage.control.createUser({ name: 'Dev', departments: [id] })
    expect((await get(`/contact/v3/departments/${id}`)).data).toMatchObject({
      department: { name: '研发', member_count: 1 },
    })
    expect((await get(`/contact/v3/departments/batch?department_ids=${id}`)).data).toMatchObject({
      items: [{ name: '研发' }],
    })
    expect((await get(`/contact/v3/users/find_by_department?department_id=${id}`)).data).toMatchObject({
      items: [{ user_id: user.userId }],
    })
    expect((await get('/contact/v3/departments/none')).code).toBe(43003)
  })

  it('shows the app to itself: state, version, events, permissions', async () => {
    const me = await get('/application/v6/applications/me?lang=zh_cn')
    expect(me.data).toMatchObject({
      app: { app_id: stage.app.appId, status: 1, online_version_id: expect.any(String) },
    })
    expect((await get('/application/v6/applications/me')).code).toBe(99992402)
    const versions = await get('/application/v6/applications/me/app_versions?lang=zh_cn')
    expect(versions.data).toMatchObject({
      items: [{ status: 1, ability: { bot: {} }, events: expect.arrayContaining(['im.message.receive_v1']) }],
    })
    expect((await get('/application/v6/scopes')).data).toMatchObject({
      scopes: expect.arrayContaining([{ scope_name: 'im:message', grant_status: 1, scope_type: 'tenant' }]),
    })
    stage.control.updateApp(stage.app.appId, { published: false })
    expect((await get('/application/v6/applications/me?lang=zh_cn')).data).not.toHaveProperty(
      'app.online_version_id',
    )
    expect((await get('/application/v6/scopes')).code).toBe(212100)
  })
})
