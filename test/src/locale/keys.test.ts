import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { en } from '../../../src/locale/en/index.ts'
import { zhCN } from '../../../src/locale/zh-CN/index.ts'

const root = resolve(import.meta.dirname, '../../..')

/** All that is written outside of the locale files. */
function sources(): string {
  return ['src', 'adapters']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((name) => /\.tsx?$/.test(name) && !/^src\/(locale|console\/(dist|pages))\//.test(name))
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join('\n')
}

/** Texts with holes, such as `schedule.state.${one.state}`: what each can be, as a pattern. */
function templates(source: string): RegExp[] {
  const found = [...source.matchAll(/`([a-z_]+\.(?:[\w.-]|\$\{[^`{}]*\})*)`/g)].map((match) => match[1] ?? '')
  return [...new Set(found)]
    .filter((template) => template.includes('${') && !template.startsWith('error.'))
    .map((template) => {
      const fixed = template.split(/\$\{[^{}]*\}/).map((part) => part.replaceAll('.', '\\.'))
      return new RegExp(`^${fixed.join('[\\w-]*')}$`)
    })
}

/** What is hung on a key that stands elsewhere, such as `${key}.hint`. */
function endings(source: string): string[] {
  return [...new Set([...source.matchAll(/`\$\{\w+\}([._][a-z_]+)`/g)].map((match) => match[1] ?? ''))]
}

/** The holes of a text. A part of a date may be padded in one language and not in the other. */
const placeholders = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+?)(?:Padded)?\}/g)].map((match) => match[1] ?? ''))].sort()

describe('the texts', () => {
  it('each is used somewhere: by its key, by a key with a hole, or as the words of an error', () => {
    const source = sources()
    const patterns = templates(source)
    expect(patterns.length).toBeGreaterThan(20)
    const hung = endings(source)
    const isUsed = (key: string): boolean => {
      const said = key.startsWith('error.') ? key.slice('error.'.length) : key
      return (
        source.includes(`'${said}'`) ||
        source.includes(`'${key}'`) ||
        patterns.some((pattern) => pattern.test(said)) ||
        hung.some((ending) => key.endsWith(ending) && isUsed(key.slice(0, -ending.length)))
      )
    }
    expect(Object.keys(zhCN).filter((key) => !isUsed(key))).toEqual([])
  })

  it('each exists in both languages, with the same holes', () => {
    expect(Object.keys(en).sort()).toEqual(Object.keys(zhCN).sort())
    for (const [key, text] of Object.entries(zhCN))
      expect(placeholders(en[key] ?? ''), key).toEqual(placeholders(text))
  })
})
