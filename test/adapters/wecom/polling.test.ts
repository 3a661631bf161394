import { describe, expect, it } from 'vitest'
import { liveOf, passing, textOf, until } from './house.ts'
import { options } from './twins.ts'
import { urlHouses } from './url-house.ts'

const start = urlHouses()

describe('callbacks', () => {
  it('wecom 33: JSON labelled text/xml is read; the answer streams by polling and ends', async () => {
    const { sim, adapter, ask, said } = await start({ callbackContentType: 'text/xml' })
    const event = await ask('部署')

    expect(event).toMatchObject({ text: '部署', sender: { user: 'wecom:zhangsan' } })
    await until(() => said().length === 1)
    expect(said().map(textOf)).toEqual(['收到，正在处理… ▍'])
    const to = event.address
    const sent = await adapter.send(to, { ...liveOf('先'), replyTo: event.replyTo }, options('l1'))
    await passing(
      sim,
      until(() => textOf(said()[0] as never).includes('先')),
      1_000,
    )
    const final = adapter.update(
      sent,
      to,
      { ...liveOf('先看', { phase: 'done' }), replyTo: event.replyTo },
      options('l1'),
    )
    await adapter.update(await passing(sim, final), to, liveOf('先看', { phase: 'done' }), options('l1'))

    expect(said().map(textOf)).toEqual(['先看'])
  })

  it('wecom 36: after the window the answer goes by response_url, once', async () => {
    const { sim, adapter, ask, said } = await start()
    const event = await ask('慢任务')
    await passing(sim, sim.clock.advance(400_000))
    const send = (text: string) =>
      passing(
        sim,
        adapter.send(
          event.address,
          { type: 'markdown', markdown: text, replyTo: event.replyTo },
          options(text),
        ),
      )

    await send('结果')

    expect(said().map(textOf).at(-1)).toBe('结果')
    await expect(send('再来一条')).rejects.toMatchObject({
      code: 'wecom.reply_window_closed',
      retryable: false,
    })
  })

  it('a poll for a stream of an earlier process is told to end, and the answer follows', async () => {
    const house = await start()
    const { sim, ask, said } = house
    const event = await ask('hi')
    await until(() => said().length === 1)
    await house.restart()

    await passing(
      sim,
      until(() => !textOf(said()[0] as never).endsWith('▍')),
      1_000,
    )
    await house.adapter.send(
      event.address,
      { type: 'markdown', markdown: '答案', replyTo: event.replyTo },
      options('k'),
    )

    expect(said().map(textOf)).toEqual(['服务刚刚重启，结果见下一条消息。', '答案'])
  })

  it('wecom 32: an answer that comes late is delivered again with the same id, so that the core can drop it', async () => {
    const house = await start()
    const { sim, events, ask } = house
    let release = (): void => undefined
    const stuck = new Promise<void>((resolve) => {
      release = resolve
    })
    house.receipt = async () => {
      await stuck
      return {}
    }
    await ask('hi')
    await passing(
      sim,
      until(() => events.length === 3),
      1_000,
    )
    release()

    expect(new Set(events.map((event) => (event.type === 'message' ? event.messageId : '')))).toHaveProperty(
      'size',
      1,
    )
  })

  it('files and pushes say what this transport lacks', async () => {
    const { adapter, ask } = await start()
    const event = await ask('hi')
    const file = { path: '/x', name: 'x', bytes: 10, sha256: '', kind: 'file' as const }

    await expect(
      adapter.send(event.address, { type: 'file', file, replyTo: event.replyTo }, options('f')),
    ).rejects.toMatchObject({ code: 'wecom.files_need_socket' })
    await expect(
      adapter.send(event.address, { type: 'markdown', markdown: 'x' }, options('p')),
    ).rejects.toMatchObject({
      code: 'wecom.reply_window_closed',
    })
  })
})
