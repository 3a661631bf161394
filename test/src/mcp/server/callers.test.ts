import { describe, expect, it } from 'vitest'
import { createCallers } from '../../../../src/mcp/server/callers.ts'
import { createRate } from '../../../../src/mcp/server/rate.ts'
import { createSessions } from '../../../../src/mcp/server/sessions.ts'
import { createManualClock } from '../../../support/clock.ts'

const callers = createCallers([
  { name: 'laptop', token: 'a-token-of-some-length', tools: ['workstation'], user: 'wecom:ZhangSan' },
  { name: 'stdio', tools: ['all'] },
])

describe('callers', () => {
  it.each([
    [undefined],
    [''],
    ['a-token-of-some-length'],
    ['Basic a-token-of-some-length'],
    ['Bearer a-token-of-some-lengt'],
    ['Bearer a-token-of-some-length '],
    ['Bearer undefined'],
  ])('M10: %j is nobody', (header) => {
    expect(callers.byHeader(header)).toBeUndefined()
  })

  it('a token names its caller, and the person in whose name it calls', () => {
    expect(callers.byHeader('Bearer a-token-of-some-length')).toMatchObject({
      name: 'laptop',
      user: 'wecom:zhangsan',
    })
    expect(callers.byName('stdio')).toMatchObject({ user: 'mcp:stdio', chat: undefined })
  })

  it('a caller has its share of each minute, whatever the others do', async () => {
    const clock = createManualClock()
    const rate = createRate(clock, 2)
    expect([rate.take('a'), rate.take('a'), rate.take('a'), rate.take('b')]).toEqual([
      true,
      true,
      false,
      true,
    ])
    await clock.advance(60_000)
    expect(rate.take('a')).toBe(true)
  })

  it('M10: sessions are bounded, end when idle, and are nobody else’s', async () => {
    const clock = createManualClock()
    const sessions = createSessions(clock)
    const [laptop, stdio] = ['laptop', 'stdio'].map((name) => callers.byName(name))
    if (!laptop || !stdio) throw new Error('no such caller')
    let closed = 0
    const transport = { close: async () => void closed++ } as Parameters<typeof sessions.add>[2]
    for (let i = 0; i < 400; i++) sessions.add(`s${i}`, laptop, transport)
    expect(sessions.hasRoom(laptop)).toBe(false)
    expect(sessions.hasRoom(stdio)).toBe(true)
    expect(sessions.find('s1', stdio)).toBeUndefined()
    await clock.advance(20 * 60_000)
    expect(sessions.find('s1', laptop)).toBe(transport)
    await clock.advance(20 * 60_000)
    expect(sessions.hasRoom(laptop)).toBe(true)
    expect(closed).toBe(399)
    expect(sessions.find('s1', laptop)).toBe(transport)
  })
})
