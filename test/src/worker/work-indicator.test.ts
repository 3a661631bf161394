import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createWorkIndicator } from '../../../src/worker/work-indicator.ts'
import { createRecordingAdapter } from '../../support/recording-adapter.ts'

const to = { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const }

function stage() {
  const seen: string[] = []
  const shown = Promise.withResolvers<void>()
  const adapter = createRecordingAdapter()
  adapter.indicate = async (_to, messageId) => {
    seen.push(`put on ${messageId}`)
    await shown.promise
    return async () => void seen.push(`taken from ${messageId}`)
  }
  return { adapter, seen, confirm: shown.resolve }
}

describe('the sign on a message that is being worked on', () => {
  it('is put there once, and nobody waits for it', async () => {
    const { adapter, seen } = stage()
    const sign = createWorkIndicator(adapter, to, 'om_1')
    sign.show()
    sign.show()
    expect(seen).toEqual([])
    await turn()
    expect(seen).toEqual(['put on om_1'])
  })

  it('is taken away after it was put there, also when the work ends before the platform has confirmed it', async () => {
    const { adapter, seen, confirm } = stage()
    const sign = createWorkIndicator(adapter, to, 'om_1')
    sign.show()
    await turn()
    const removed = sign.remove()
    confirm()
    await removed
    expect(seen).toEqual(['put on om_1', 'taken from om_1'])
  })

  it('is not put on a message whose work is over at once, nor on one that is not there', async () => {
    const { adapter, seen } = stage()
    const sign = createWorkIndicator(adapter, to, 'om_1')
    sign.show()
    await sign.remove()
    createWorkIndicator(adapter, to, null).show()
    await turn()
    expect(seen).toEqual([])
  })
})
