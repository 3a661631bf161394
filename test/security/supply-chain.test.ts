import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { DEEDS } from './runtime-installs.ts'

const root = resolve(import.meta.dirname, '../..')

function sources(): string[] {
  return ['src', 'adapters'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('dist/'))
      .map((name) => join(folder, name)),
  )
}

describe('D2: nothing is installed while the service runs', () => {
  it('no program of a package manager is started, and no code is loaded from an address made at run time', () => {
    const files = sources()
    const found = files.flatMap((file) =>
      DEEDS.filter((deed) => deed.test(readFileSync(join(root, file), 'utf8'))).map(
        (deed) => `${file}: ${deed}`,
      ),
    )
    expect(files.length).toBeGreaterThan(400)
    expect(found).toEqual([])
  })

  it('the watch sees what it is there for', () => {
    const deeds = [
      "spawn('npm', ['install', name])",
      "execFile('/usr/bin/npx', ['-y', name])",
      "run(['pip', 'install', name])",
      'await import(`./plugins/${name}.ts`)',
      'await import(file)',
      'require(name)',
      "new Function('return 1')",
      'eval(text)',
    ]
    for (const deed of deeds) expect(DEEDS.some((one) => one.test(deed))).toBe(true)
    for (const word of ["hint: 'apt-get install bubblewrap'", "await import('./a.ts')", 'retrieval(x)'])
      expect(DEEDS.some((one) => one.test(word))).toBe(false)
  })
})

const sbomSchema = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: z.looseObject({ version: z.string() }) }),
  components: z.array(
    z.looseObject({
      name: z.string(),
      version: z.string(),
      purl: z.string(),
      hashes: z
        .array(z.looseObject({ alg: z.string() }))
        .min(1)
        .optional(),
    }),
  ),
})
const packageSchema = z.looseObject({
  version: z.string(),
  engines: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  scripts: z.record(z.string(), z.string()),
})
const manifest = packageSchema.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))

describe('D3: components', () => {
  it('are listed for this release by one command, each with version and hash', { timeout: 120_000 }, () => {
    const [program = '', ...args] = (manifest.scripts['sbom'] ?? '').split(' ')
    const text = execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
    const list = sbomSchema.parse(JSON.parse(text))
    expect(list.metadata.component.version).toBe(manifest.version)
    const listed = new Map(list.components.map((one) => [one.purl.replace(/^pkg:npm\//, ''), one]))
    for (const [name, version] of Object.entries(manifest.dependencies))
      expect([...listed.keys()]).toContain(`${name.replace('@', '%40')}@${version}`)
    expect(list.components.filter((one) => one.hashes === undefined)).toEqual([])
  })

  it('are asked about for advisories by another command', () => {
    expect(manifest.scripts['advisories']).toBe('npm audit --omit=dev --audit-level=high')
  })
})

describe('D3: newer versions', () => {
  it('are taken by a command that takes none younger than seven days, and runs no script of theirs', () => {
    const flags = (manifest.scripts['upgrade'] ?? '').split(' ').filter((word) => word.startsWith('--'))
    expect(flags).toEqual(['--save-exact', '--ignore-scripts', '--min-release-age=7'])
  })
})

const containerSchema = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        securityContext: z.looseObject({}),
        containers: z.array(z.looseObject({ securityContext: z.looseObject({}) })),
      }),
    }),
  }),
})
const composeSchema = z.looseObject({ services: z.looseObject({ yizhan: z.looseObject({}) }) })
const deployed = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8')

describe('D4: the image', () => {
  it('runs as a user without rights; nothing of a secret is in its recipe or its layers', () => {
    const lines = deployed('Dockerfile').split('\n')
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER 10001:10001'])
    expect(lines.filter((line) => /^(ARG|ENV)\b.*(secret|token|password|key)/i.test(line))).toEqual([])
    // The first line ignores everything; what is let in again are sources and manifests.
    const allowed = deployed('Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    expect(allowed.filter((line) => /yaml|secret|data|env/.test(line))).toEqual([])
  })

  it('has a root that cannot be written, and no capabilities', () => {
    const compose = composeSchema.parse(parse(deployed('compose.yaml'))).services.yizhan
    expect(compose).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    const { spec } = containerSchema.parse(parse(deployed('k8s/deployment.yaml'))).spec.template
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 })
    expect(spec.containers.map((one) => one.securityContext)).toMatchObject([
      { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    ])
  })
})

describe('D4: what builds the product', () => {
  it('names no secret, and runs what every machine runs', () => {
    const recipes = ['.ci/run', '.github', 'deploy/Dockerfile'].filter((path) => existsSync(join(root, path)))
    expect(recipes).toContain('.ci/run')
    const text = readFileSync(join(root, '.ci/run'), 'utf8')
    expect(text).not.toMatch(/secret|token|password|\$\{?[A-Z_]*KEY/i)
    expect(text.trim().split('\n').slice(-2)).toEqual(['npm ci', 'npm test'])
  })
})
