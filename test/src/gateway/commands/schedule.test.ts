import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../../../src/gateway/command-line.ts'
import { readFields } from '../../../../src/gateway/commands/schedule.ts'

describe('/schedule', () => {
  it('is known by its Chinese names', () => {
    expect(parseCommand('/计划 run k3f9')).toMatchObject({ name: 'schedule', args: ['run', 'k3f9'] })
    expect(parseCommand('/定时任务')).toMatchObject({ name: 'schedule', args: [] })
  })

  it('reads fields with spaces in quotes of any kind', () => {
    expect(readFields('/schedule edit k3f9 cron="0 9 * * 1-5" prompt=“昨天的 销售额” missed=once')).toEqual({
      cron: '0 9 * * 1-5',
      prompt: '昨天的 销售额',
      missed: 'once',
    })
  })

  it('reads a destination and a command that needs no approval', () => {
    expect(readFields('/schedule edit k3f9 to=ops/robot:finance preapproved="uname -a @2026-12-31"')).toEqual(
      {
        to: { bot: 'ops', chat: 'robot:finance' },
        preapproved: [{ command: 'uname -a', until: '2026-12-31' }],
      },
    )
    expect(readFields('/schedule edit k3f9 preapproved=""')).toEqual({ preapproved: [] })
  })

  it('finds no fields where there are none', () => {
    expect(readFields('/schedule edit k3f9 every morning')).toBeUndefined()
  })
})
