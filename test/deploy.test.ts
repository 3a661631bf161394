/** What `deploy/` names exists: scripts, files, ports, paths, variables and numbers of this project. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { LONGEST_STOP_MS } from '../src/cli/serve.ts'
import { parseConfig } from '../src/config/load.ts'
import { configSchema } from '../src/config/schema.ts'
import { createCallStats } from '../src/observability/call-stats.ts'
import { createMetrics } from '../src/observability/metrics.ts'
import { createStallMonitor } from '../src/observability/stall-monitor.ts'
import { createManualClock } from './support/clock.ts'

const read = (file: string): string => readFileSync(join('deploy', file), 'utf8')

const keepTag = { tag: '!override', collection: 'seq' as const, resolve: (node: unknown) => node }
function yamlOf(file: string): unknown {
  const [document] = parseAllDocuments(read(file), { customTags: [keepTag] })
  expect(document?.errors).toEqual([])
  return document?.toJS()
}

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')))
/** `npm start` without `node`: flags, launcher, command. */
const START = (scripts['start'] ?? '').split(' ').slice(1)
const PORT = String(configSchema.parse({}).server.port)

describe('the image', () => {
  const instructions = read('Dockerfile')
    .replace(/\\\n/g, '')
    .split('\n')
    .flatMap((line) => {
      const [, name = '', rest = ''] =
        /^\s*(ENTRYPOINT|CMD|COPY|USER|EXPOSE|ENV|WORKDIR|VOLUME)\s+(.*)$/.exec(line) ?? []
      return name === '' ? [] : [{ name, rest }]
    })
  const last = (name: string): string => instructions.findLast((one) => one.name === name)?.rest ?? ''
  const list = (text: string): string[] => z.array(z.string()).parse(JSON.parse(text))

  it('starts what npm start starts, with the Node of the project', () => {
    expect(list(last('CMD'))).toEqual(['node_modules/.bin/node', ...START])
    expect(existsSync('node_modules/.bin/node')).toBe(true)
  })

  it('runs as a user without rights, on the default port', () => {
    expect(last('USER')).toBe('10001:10001')
    expect(last('EXPOSE')).toBe(PORT)
  })

  it('copies only what exists and what its ignore file lets through', () => {
    const sources = instructions
      .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1))
    const allowed = read('Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    expect([...new Set(sources)].sort()).toEqual(allowed.sort())
    expect(sources.filter((source) => !existsSync(source))).toEqual([])
  })

  it('asks the address of the service that says whether it is ready', () => {
    expect(read('Dockerfile')).toContain(`fetch('http://127.0.0.1:${PORT}/readyz')`)
  })
})

describe('compose', () => {
  const service = z.looseObject({
    environment: z.record(z.string(), z.string()).default({}),
    secrets: z.array(z.string()).default([]),
    volumes: z.array(z.string()).default([]),
    ports: z.array(z.string()).default([]),
    stop_grace_period: z.string().optional(),
  })
  const composeFile = z.looseObject({
    services: z.record(z.string(), service),
    volumes: z.record(z.string(), z.unknown()),
    secrets: z.record(z.string(), z.unknown()),
  })

  it.each(['compose.yaml', 'compose.cluster.yaml'])(
    '%s declares every volume and secret that it uses',
    (file) => {
      const { services, volumes, secrets } = composeFile.parse(yamlOf(file))
      const named = Object.values(services)
        .flatMap((one) => one.volumes.map((volume) => volume.split(':')[0] ?? ''))
        .filter((name) => !name.startsWith('.'))
      expect(named.filter((name) => !(name in volumes))).toEqual([])
      const used = Object.values(services).flatMap((one) => one.secrets)
      expect(used.filter((name) => !(name in secrets))).toEqual([])
      const paths = Object.values(services).flatMap((one) => Object.values(one.environment))
      const mounted = paths.filter((path) => path.startsWith('/run/secrets/')).map((path) => path.slice(13))
      expect(mounted.filter((name) => !used.includes(name))).toEqual([])
    },
  )

  it('waits for a stop longer than the service takes for it', () => {
    const { services } = composeFile.parse(yamlOf('compose.yaml'))
    const seconds = Number(/^(\d+)s$/.exec(services['yizhan']?.stop_grace_period ?? '')?.[1])
    expect(seconds * 1_000).toBeGreaterThan(LONGEST_STOP_MS)
  })

  it.each(['compose.yaml', 'compose.cluster.yaml'])(
    '%s: the configuration of its first lines is one',
    (file) => {
      const lines = read(file).split('\n')
      const text = lines
        .filter((line) => /^# {6}\S/.test(line))
        .map((line) => line.slice(7))
        .join('\n')
      const { config } = parseConfig(text, { file, env: { POSTGRES_PASSWORD: 'secret' } })
      expect(config.server).toMatchObject({ host: '0.0.0.0', port: Number(PORT) })
      expect(config.dataDir).toBe('/var/lib/yizhan')
      expect(config.database !== undefined).toBe(file === 'compose.cluster.yaml')
    },
  )

  it('publishes the port that the service listens on', () => {
    for (const file of ['compose.yaml', 'compose.cluster.yaml']) {
      const ports = composeFile.parse(yamlOf(file)).services['yizhan']?.ports ?? []
      expect(ports.map((port) => port.split(':').at(-1))).toEqual([PORT])
    }
  })
})

describe('the systemd unit', () => {
  const setting = (name: string): string =>
    new RegExp(`^${name}=(.*)$`, 'm').exec(read('systemd/yizhan.service'))?.[1] ?? ''

  it('starts what npm start starts, as a user of its own', () => {
    expect(setting('ExecStart')).toBe(['/opt/yizhan/node_modules/.bin/node', ...START].join(' '))
    expect(setting('User')).toBe('yizhan')
  })

  it('waits for a stop longer than the service takes for it, and lets it end its own commands', () => {
    expect(Number(setting('TimeoutStopSec')) * 1_000).toBeGreaterThan(LONGEST_STOP_MS)
    expect(setting('KillMode')).toBe('mixed')
  })

  it('takes nothing away that bubblewrap needs', () => {
    const fatal =
      /^(RestrictNamespaces|ProtectKernelTunables|ProtectKernelLogs|ProtectControlGroups|ProtectProc|ProcSubset|SystemCallFilter|PrivateUsers|MemoryDenyWriteExecute)=/m
    expect(read('systemd/yizhan.service')).not.toMatch(fatal)
  })
})

describe('kubernetes', () => {
  const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
  const deployment = z.looseObject({
    spec: z.looseObject({
      template: z.looseObject({
        spec: z.looseObject({
          terminationGracePeriodSeconds: z.number(),
          securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.literal(10_001) }),
          containers: z.tuple([
            z.looseObject({
              ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
              startupProbe: probe,
              livenessProbe: probe,
              readinessProbe: probe,
            }),
          ]),
        }),
      }),
    }),
  })

  it('lists every manifest of its folder', () => {
    const { resources } = z
      .looseObject({ resources: z.array(z.string()) })
      .parse(yamlOf('k8s/kustomization.yaml'))
    const others = ['kustomization.yaml', 'yizhan.yaml']
    expect([...resources, ...others].sort()).toEqual(readdirSync('deploy/k8s').sort())
  })

  it('asks the paths and the port that the service has, and waits for its stop', () => {
    const { terminationGracePeriodSeconds, containers } = deployment.parse(yamlOf('k8s/deployment.yaml')).spec
      .template.spec
    const [{ ports, startupProbe, livenessProbe, readinessProbe }] = containers
    expect(ports).toEqual([{ name: 'http', containerPort: Number(PORT) }])
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      '/healthz',
      '/healthz',
      '/readyz',
    ])
    const application = readFileSync('src/http/application.ts', 'utf8')
    for (const path of ['/healthz', '/readyz', '/metrics']) expect(application).toContain(`app.get('${path}'`)
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(LONGEST_STOP_MS)
  })

  it('has a configuration for several processes', () => {
    const env = {
      DATABASE_URL: 'postgres://yizhan@db:5432/yizhan',
      REDIS_URL: 'redis://redis:6379',
      FEISHU_APP_SECRET: 's',
      LLM_API_KEY: 'k',
    }
    const { config } = parseConfig(read('k8s/yizhan.yaml'), { file: 'k8s/yizhan.yaml', env })
    expect([config.database, config.redis]).toEqual([env.DATABASE_URL, env.REDIS_URL])
    const help = read('k8s/kustomization.yaml')
    expect(Object.keys(env).filter((name) => !help.includes(`--from-literal=${name}=`))).toEqual([])
  })
})

describe('the Grafana dashboard', () => {
  it('asks only for series that the service has', async () => {
    const metrics = createMetrics()
    metrics.toolFigures(() => createCallStats('salt').read())
    metrics.stalls(createStallMonitor({ clock: createManualClock() }))
    const { text } = await metrics.text()
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    const asked = [...read('grafana/yizhan.json').matchAll(/yizhan_[a-z_]+/g)].map(([name]) => name)
    expect(asked.length).toBeGreaterThan(8)
    expect(asked.filter((name) => !known.has(name.replace(/_(bucket|count|sum)$/, '')))).toEqual([])
  })
})
