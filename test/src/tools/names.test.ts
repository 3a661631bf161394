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
})
