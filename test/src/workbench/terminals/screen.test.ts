import { describe, expect, it } from 'vitest'
import { createScreen } from '../../../../src/workbench/terminals/screen.ts'

describe('a screen', () => {
  it('counts everything and shows the end', () => {
    const screen = createScreen()
    screen.push('\x1b[1mone\x1b[0m\r\n')
    screen.push('two')
    expect(screen.snapshot('text', 100)).toEqual({ data: 'one\ntwo', sequence: 16, truncated: false })
    expect(screen.snapshot('text', 3)).toEqual({ data: 'two', sequence: 16, truncated: true })
    expect(screen.snapshot('ansi', 100).data).toBe('\x1b[1mone\x1b[0m\r\ntwo')
    expect(screen.snapshot('ansi', 5)).toEqual({ data: '\r\ntwo', sequence: 16, truncated: true })
  })

  it('keeps a bounded amount of a flood and says that it lost the rest', () => {
    const screen = createScreen()
    const line = `${'x'.repeat(99)}\n`
    for (let i = 0; i < 20_000; i++) screen.push(line)
    const { data, sequence, truncated } = screen.snapshot('text', 100_000)
    expect(sequence).toBe(2_000_000)
    expect(data.length).toBe(100_000)
    expect(truncated).toBe(true)
  })

  it('never begins with half a character', () => {
    const screen = createScreen()
    screen.push('😀😀😀')
    expect(screen.snapshot('ansi', 3).data).toBe('😀')
    expect(screen.snapshot('text', 3).data).toBe('😀')
  })
})
