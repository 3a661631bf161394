import { describe, expect, it } from 'vitest'
import type { ServerView } from '../../../../src/mcp/client/servers.ts'
import { createServerWatch, type ServerNews } from '../../../../src/mcp/client/watch.ts'
import { createManualClock } from '../../../support/clock.ts'

function stage() {
  const clock = createManualClock()
  const news: ServerNews[] = []
  const watch = createServerWatch(clock, (one) => news.push(one))
  const look = (state: ServerView['state'], more: Partial<ServerView> = {}): void =>
    watch.look({
      ...{ name: 'notes', origin: 'yizhan.yaml', shown: 'node notes.js', state, why: 'it ended with code 3' },
      trouble: 'ended',
      ...{ tools: ['mcp__notes__read'], waiting: [], definitions: new Map(), changes: [] },
      ...more,
    })
  look('connecting')
  return { clock, news, look }
}

const fail = (look: (state: ServerView['state']) => void, times: number): void => {
  for (let i = 0; i < times; i++) {
    look('waiting')
    look('connecting')
  }
}

const offered = (digest: string): Partial<ServerView> => ({
  waiting: ['read'],
  changes: [{ tool: 'read', before: undefined, offered: { name: 'read', inputSchema: {} }, digest }],
})

describe('createServerWatch', () => {
  it('M7: a server that is given up is told once, and its recovery once it has lasted', async () => {
    const { clock, news, look } = stage()
    fail(look, 4)
    look('broken')
    look('broken')
    expect(news).toEqual([{ kind: 'broken', server: 'notes', why: 'it ended with code 3', trouble: 'ended' }])
    look('connecting')
    look('ready')
    await clock.advance(4_999)
    expect(news).toHaveLength(1)
    await clock.advance(1)
    expect(news.slice(1)).toEqual([{ kind: 'recovered', server: 'notes', tools: 1 }])
  })

  it('M7: a recovery that does not last is none', async () => {
    const { clock, news, look } = stage()
    look('broken')
    look('ready')
    await clock.advance(3_000)
    look('waiting')
    await clock.advance(60_000)
    expect(news.map(({ kind }) => kind)).toEqual(['broken'])
  })

  it('M6: a server that never answers is told after five tries, not at every one, and again not before ten minutes', async () => {
    const { clock, news, look } = stage()
    fail(look, 30)
    expect(news).toEqual([
      { kind: 'unreachable', server: 'notes', why: 'it ended with code 3', trouble: 'ended' },
    ])
    look('ready')
    await clock.advance(5_000)
    fail(look, 30)
    expect(news.map(({ kind }) => kind)).toEqual(['unreachable', 'recovered'])
    await clock.advance(600_000)
    look('waiting')
    expect(news.map(({ kind }) => kind)).toEqual(['unreachable', 'recovered', 'unreachable'])
  })

  it('two short failures are nobody’s affair', async () => {
    const { clock, news, look } = stage()
    fail(look, 2)
    look('ready')
    await clock.advance(60_000)
    expect(news).toEqual([])
  })

  it('M3: changed tools are told once per change, and not again after a restart of the service', () => {
    const { news, look } = stage()
    look('ready')
    look('ready', offered('a'))
    look('ready', offered('a'))
    look('ready', offered('b'))
    look('ready')
    expect(news).toEqual(Array(2).fill({ kind: 'changed', server: 'notes', tools: ['read'] }))
    const later: ServerNews[] = []
    const watch = createServerWatch(createManualClock(), (one) => later.push(one))
    const view = {
      name: 'notes',
      origin: '',
      shown: '',
      state: 'connecting',
      why: '',
      trouble: 'connect',
      tools: [],
    } as const
    const known = { ...view, definitions: new Map(), waiting: ['read'], changes: offered('b').changes ?? [] }
    watch.look(known)
    watch.look({ ...known, state: 'ready' })
    expect(later).toEqual([])
  })

  it('a login that is needed is told once; a server that is gone is forgotten', () => {
    const { news, look } = stage()
    look('login')
    look('connecting')
    look('login')
    look('stopped')
    look('connecting')
    look('login')
    expect(news).toEqual(Array(2).fill({ kind: 'login', server: 'notes' }))
  })
})
