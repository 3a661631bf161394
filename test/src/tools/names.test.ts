import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ShippedTools, shippedTools } from '../../support/shipped-tools.ts'
import { BUILT_IN, TWINS, WORKSTATION } from '../../support/tool-names.ts'

let shipped: ShippedTools
beforeAll(async () => {
  shipped = await shippedTools()
})
const names = (tools: ShippedTools['chat']) => tools.map((tool) => tool.name)

describe('the names of the tools', () => {
  it('the built-in set has exactly 42', () => {
    expect(new Set(BUILT_IN).size).toBe(42)
    const workstation: readonly string[] = Object.values(WORKSTATION).flat()
    const own = names(shipped.chat).filter(
      (name) => !workstation.includes(name) || BUILT_IN.some((one) => one === name),
    )
    // Schedules have two of their own, which came with them.
    expect(own.filter((name) => !name.startsWith('cron_')).sort()).toEqual([...BUILT_IN].sort())
  })

  it('the workstation set has exactly 19', () => {
    expect(names(shipped.workstation).sort()).toEqual(Object.values(WORKSTATION).flat().sort())
    expect(shipped.workstation).toHaveLength(19)
  })

  it('nobody is shown both names of one tool', () => {
    const chat = names(shipped.chat)
    expect(new Set(chat).size).toBe(chat.length)
    for (const [workstation, builtIn] of Object.entries(TWINS)) {
      expect(chat).toContain(builtIn)
      if (workstation !== builtIn) expect(chat).not.toContain(workstation)
      if (workstation !== builtIn) expect(names(shipped.workstation)).not.toContain(builtIn)
    }
    const others = Object.values(WORKSTATION)
      .flat()
      .filter((name) => !(name in TWINS))
    for (const name of others) expect(chat).toContain(name)
  })

  it('a tool is one file: each file defines one, and its name is in the name of the file', () => {
    const root = resolve(import.meta.dirname, '../../../src/tools')
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    )
    const defined = files.flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8')
      const found = [...source.matchAll(/defineTool\(\{\s*name: '(\w+)'/g)].map((match) => match[1] ?? '')
      return found.map((name) => ({ file, name, of: found.length }))
    })
    // The rest is a built-in under its workstation name, or one of two platforms' twins.
    expect(defined.length).toBeGreaterThan(50)
    for (const { file, name, of } of defined) {
      expect(of, file).toBe(1)
      expect(name.replaceAll('_', '-'), file).toContain(basename(file, '.ts'))
    }
    expect(new Set(defined.map((one) => one.name)).size).toBe(defined.length)
  })
})
