/** `deploy/yizhan.example.yaml` is the reference of the configuration: every key, and every default as it is. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseConfig } from '../../../src/config/load.ts'
import { configSchema } from '../../../src/config/schema.ts'

const text = readFileSync('deploy/yizhan.example.yaml', 'utf8')

/** Part of a JSON schema, as far as it is walked here. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly additionalProperties?: Node | boolean
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
  readonly allOf?: readonly Node[]
}

/** Names of all keys below a schema, whatever lists and maps lie between. */
function keysBelow(node: Node): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = node
  const inner = [...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') inner.push(additionalProperties)
  return [
    ...Object.entries(properties).flatMap(([name, below]) => [name, ...keysBelow(below)]),
    ...inner.flatMap(keysBelow),
  ]
}

/** Text of a top-level section, comments included. */
function sectionOf(key: string): string {
  return new RegExp(`^(?:# )?${key}:[^]*?(?=^(?:# )?\\w+:|(?![^]))`, 'm').exec(text)?.[0] ?? ''
}

const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Node

describe('deploy/yizhan.example.yaml', () => {
  it.each(Object.entries(schema.properties ?? {}))('%s: shows every key that there is', (key, below) => {
    const section = sectionOf(key)
    expect(section).not.toBe('')
    const missing = keysBelow(below).filter((name) => !new RegExp(`\\b${name}:`).test(section))
    expect([...new Set(missing)]).toEqual([])
  })

  /** What is there to show the form of an entry; without it there is nothing. */
  const EXAMPLES = [
    'server.publicUrl',
    ...['models.default', 'models.profiles', 'bots', 'access.admins', 'approval.rules'],
    ...['mcp.servers', 'mcp.serve.callers', 'reports.sources', 'reports.saved', 'search.sources'],
    ...['memory.embeddings', 'schedules', 'calendar.file', 'browser.allow', 'video.apiKey'],
  ]

  it('shows defaults as they are, but for entries that only show their form', () => {
    const names = [...text.matchAll(/\$\{(\w+)\}/g)].map((match) => match[1] ?? '')
    const env = Object.fromEntries(names.map((name) => [name, `value-of-${name}`]))
    const { config } = parseConfig(text, { file: 'yizhan.example.yaml', env })
    const differing = (shown: unknown, known: unknown, path: string): string[] => {
      if (EXAMPLES.includes(path)) return []
      if (!isMap(shown) || !isMap(known)) {
        return JSON.stringify(shown) === JSON.stringify(known) ? [] : [`${path}: ${JSON.stringify(known)}`]
      }
      return [...new Set([...Object.keys(shown), ...Object.keys(known)])].flatMap((key) =>
        differing(shown[key], known[key], path === '' ? key : `${path}.${key}`),
      )
    }
    expect(differing(config, configSchema.parse({}), '')).toEqual([])
  })
})

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
