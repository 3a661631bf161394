import { afterEach, describe, expect, it } from 'vitest'
import { createModels } from '../../../../src/model/catalogue.ts'
import type { UserKey } from '../../../../src/protocol/address.ts'
import { ZONE } from '../../../support/zone.ts'
import { ADMIN, MEMBER, openWorkbench, type WorkbenchBench } from '../bench.ts'

const MODELS = {
  default: 'main',
  profiles: {
    main: {
      protocol: 'openai',
      baseUrl: 'https://key:pw@llm.example.com/v1?k=1',
      apiKey: 'sk-open',
      model: 'm1',
    },
    claude: { protocol: 'anthropic', apiKey: 'sk-anthropic', model: 'c1' },
    demo: { protocol: 'demo' },
  },
}
const BY: UserKey = ADMIN

let bench: WorkbenchBench
afterEach(() => bench.close())
const open = async (more: object = {}): Promise<WorkbenchBench> => {
  bench = await openWorkbench({ config: { models: MODELS, ...more } })
  return bench
}
const code = (value: string) => expect.objectContaining({ code: `workbench.${value}` })

describe('settings', () => {
  it('K: shows profiles without any key, login or query', async () => {
    const { settings } = await open()
    const view = settings.view()
    expect(view.modelProfiles).toEqual([
      {
        ...{ id: 'main', name: 'main', protocol: 'openai', isDefault: true, enabled: true, model: 'm1' },
        ...{ baseUrl: 'https://llm.example.com/v1', contextTokens: 128_000 },
      },
      {
        ...{ id: 'claude', name: 'claude', protocol: 'anthropic', isDefault: false, enabled: true },
        ...{ model: 'c1', baseUrl: 'https://api.anthropic.com', contextTokens: 200_000 },
      },
      { id: 'demo', name: 'demo', protocol: 'demo', isDefault: false, enabled: true },
    ])
    expect(JSON.stringify(view)).not.toMatch(/sk-|pw|k=1/)
  })

  it('a changed model is what the house uses, with the key untouched, also after a restart', async () => {
    const { settings } = await open()
    const before = settings.models()
    const change = { name: '推理', isDefault: true, claudeModel: 'c2', claudeEffort: 'high' as const }
    const shown = await settings.changeModel('claude', { ...change, claudeContext1m: true }, BY)
    expect(shown).toMatchObject({
      name: '推理',
      isDefault: true,
      model: 'c2',
      effort: 'high',
      contextTokens: 1e6,
    })
    const after = settings.models()
    expect(after).not.toBe(before)
    expect(settings.models()).toBe(after)
    expect(after.default).toBe('claude')
    expect(after.profiles['claude']).toMatchObject({ model: 'c2', effort: 'high', apiKey: 'sk-anthropic' })
    expect(settings.labelOf('claude')).toBe('推理')
    bench = await bench.reborn()
    await bench.workbench.start()
    expect(bench.settings.models().profiles['claude']).toMatchObject({ model: 'c2', context1m: true })
    await bench.settings.changeModel('claude', { isDefault: false }, BY)
    expect(bench.settings.models().default).toBe('main')
  })

  it('reasoning effort of an OpenAI profile goes into the request body', async () => {
    const { settings } = await open()
    await settings.changeModel('main', { codexReasoningEffort: 'low', codexModel: 'm2' }, BY)
    expect(settings.models().profiles['main']).toMatchObject({
      model: 'm2',
      extra: { reasoning_effort: 'low' },
    })
  })

  it('a profile that is switched off is not offered; the default one cannot be', async () => {
    const { settings } = await open()
    await settings.changeModel('claude', { claudeEnabled: false }, BY)
    expect(Object.keys(settings.models().profiles)).toEqual(['main', 'demo'])
    await expect(settings.changeModel('main', { codexEnabled: false }, BY)).rejects.toEqual(
      code('default_disabled'),
    )
  })

  it.each([
    ['an unknown profile', 'none', { name: 'x' }, 'profile_not_found'],
    ['a field of another protocol', 'main', { claudeModel: 'x' }, 'profile_kind'],
    ['a model for the demo profile', 'demo', { codexModel: 'x' }, 'profile_kind'],
    [
      'K: a server that the key does not belong to',
      'claude',
      { claudeBaseUrl: 'https://evil.example' },
      'profile_server',
    ],
    ['K: another port', 'main', { codexBaseUrl: 'https://llm.example.com:8443/v1' }, 'profile_server'],
    ['K: no encryption', 'main', { codexBaseUrl: 'http://llm.example.com/v1' }, 'profile_server'],
    [
      'K: a login in the address',
      'main',
      { codexBaseUrl: 'https://a:b@llm.example.com/v1' },
      'profile_server',
    ],
  ])('refuses %s', async (_what, id, change, refused) => {
    const { settings, store } = await open()
    await expect(settings.changeModel(id, change, BY)).rejects.toEqual(code(refused))
    expect(await store.db.selectFrom('workbench_overrides').selectAll().execute()).toEqual([])
  })

  it('another path on the same server is fine', async () => {
    const { settings } = await open()
    await settings.changeModel('main', { codexBaseUrl: 'https://llm.example.com/v2' }, BY)
    expect(settings.models().profiles['main']).toMatchObject({ baseUrl: 'https://llm.example.com/v2' })
  })

  it('the language holds until it is the system again', async () => {
    const { settings } = await open()
    expect(settings.language()).toBeUndefined()
    expect((await settings.setLanguage('en', BY)).language).toBe('en')
    expect(settings.language()).toBe('en')
    await settings.setLanguage('system', BY)
    expect(settings.language()).toBeUndefined()
  })

  it('nothing of it holds while the group is off', async () => {
    await open()
    await bench.settings.setLanguage('en', BY)
    const { dataDir } = bench.store
    await bench.close()
    bench = await openWorkbench({ dataDir, config: { workbench: { task: true } } })
    await bench.workbench.start()
    expect(bench.settings.language()).toBeUndefined()
  })
})

describe('network profiles', () => {
  const HOST = { sandbox: { network: 'host', kind: 'none' } }

  it('become the environment of commands and part of the sandbox line', async () => {
    const { settings } = await open(HOST)
    expect(settings.networkLabel()).toBe('')
    await settings.changeNetwork(
      'default',
      {
        httpProxy: 'http://proxy:3128',
        noProxy: 'localhost,.corp',
        npmStrictSsl: false,
        npmRegistry: 'https://npm.corp/',
      },
      BY,
    )
    expect(settings.networkEnvironment()).toEqual({
      ...{ HTTP_PROXY: 'http://proxy:3128', http_proxy: 'http://proxy:3128' },
      ...{ NO_PROXY: 'localhost,.corp', no_proxy: 'localhost,.corp' },
      ...{ npm_config_strict_ssl: 'false', npm_config_registry: 'https://npm.corp/' },
    })
    const label = settings.networkLabel()
    expect(label).toMatch(/^network-profile=default#[0-9a-f]{8}$/)
    await settings.changeNetwork('default', { httpProxy: 'http://other:3128' }, BY)
    expect(settings.networkLabel()).not.toBe(label)
    await settings.changeNetwork('default', { enabled: false }, BY)
    expect(settings.networkEnvironment()).toEqual({})
  })

  it('only the default one holds', async () => {
    const { settings } = await open({
      ...HOST,
      workbench: { settings: true, networkProfiles: ['default', 'office'] },
    })
    await settings.changeNetwork('office', { allProxy: 'socks5://proxy:1080' }, BY)
    expect(settings.networkEnvironment()).toEqual({})
    await settings.changeNetwork('office', { isDefault: true }, BY)
    expect(settings.networkEnvironment()).toEqual({
      ALL_PROXY: 'socks5://proxy:1080',
      all_proxy: 'socks5://proxy:1080',
    })
  })

  it('an empty text takes a value away', async () => {
    const { settings } = await open(HOST)
    await settings.changeNetwork('default', { httpProxy: 'http://proxy:3128' }, BY)
    await settings.changeNetwork('default', { httpProxy: '' }, BY)
    expect(settings.networkEnvironment()).toEqual({})
  })

  it('is refused where commands have no network, and for profiles that do not exist', async () => {
    const { settings } = await open()
    await expect(settings.changeNetwork('default', {}, BY)).rejects.toEqual(code('no_network'))
    await bench.close()
    const again = await open(HOST)
    await expect(again.settings.changeNetwork('none', {}, BY)).rejects.toEqual(code('profile_not_found'))
  })

  it('reaches a terminal', async () => {
    const { settings, workbench, a } = await open(HOST)
    await settings.changeNetwork('default', { httpProxy: 'http://proxy:3128' }, BY)
    const wanted = { name: 's', workingDirectory: '.', command: 'echo "proxy=$HTTP_PROXY"' }
    const { id } = await workbench.terminals.create(a, await bench.workspaceId(), wanted)
    await expect
      .poll(async () => (await workbench.terminals.read(a, id, 'text', 5_000)).data, { timeout: 30_000 })
      .toMatch(/^proxy=http:\/\/proxy:3128/m)
  })
})

describe('the catalogue of models', () => {
  it('follows the settings, and knows another model of a profile', async () => {
    const { settings, clock } = await open()
    const random = { id: () => 'x', float: () => 0 }
    const models = createModels(settings.models, { clock, random, zone: ZONE, localeOf: () => 'zh-CN' })
    expect(models.get('main', '')).toBe(models.get('main', ''))
    expect(models.get('main', '').name).toBe('m1')
    await settings.changeModel('main', { codexModel: 'm2' }, BY)
    expect(models.get('main', '').name).toBe('m2')
    expect(models.get('main#m9', '').name).toBe('m9')
    expect(models.get('gone', '').name).toBe('m2')
    expect(models.get('demo#x', '').name).toBe('m2')
    await settings.changeModel('demo', { isDefault: true }, BY)
    expect(models.defaultName).toBe('demo')
  })
})

describe('the administrator behind a call', () => {
  const ask = async (by: UserKey | undefined): Promise<UserKey> => {
    const { approvals, a, store, workbench } = bench
    const opened = await approvals.open({
      bound: { tool: 'settings_update', args: { language: 'en' } },
      ...{ sessionId: a.sessionId, runId: 'r', callId: 'c', address: a.address, requester: MEMBER },
      ...{ title: 't', rule: 'default:control', findings: [] },
    })
    if (opened.outcome === 'refused') throw new Error('not asked')
    const { row } = opened
    if (by !== undefined) {
      const operator = { user: by, isBot: false, isExternal: false }
      const target = { by: 'card' as const, approvalId: row.id, nonce: row.nonce }
      await approvals.decide({ target, decision: 'allow', scope: 'once', operator, address: a.address })
      await store.transaction((trx) => approvals.consume(trx, row.id, row.digest))
    }
    return workbench.authority.administrator(a, 'c')
  }

  it('is the one who clicked', async () => {
    await open()
    expect(await ask(ADMIN)).toBe(ADMIN)
  })

  it('is nobody without a click, or when the one who clicked is none', async () => {
    await open()
    await expect(ask(undefined)).rejects.toEqual(code('needs_admin'))
    await bench.close()
    await open({ approval: { approvers: 'requester' } })
    await expect(ask(MEMBER)).rejects.toEqual(code('needs_admin'))
    await expect(bench.workbench.authority.administrator(bench.a, 'other')).rejects.toEqual(
      code('needs_admin'),
    )
  })
})
