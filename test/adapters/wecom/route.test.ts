import { beforeEach, describe, expect, it } from 'vitest'
import { outcomeUnknown, wecomError } from '../../../adapters/wecom/errors.ts'
import { deferLive, sendParts } from '../../../adapters/wecom/route.ts'
import type { SentMessage } from '../../../src/protocol/outbound.ts'
import { liveOf } from './house.ts'
import { options } from './twins.ts'

const PARTS = ['一', '二', '三']
const { live } = liveOf(PARTS.join(''), { phase: 'done' })

let said: string[]
/** What an interrupted try left in the store. */
let prepared: SentMessage['handle']
/** How the next parts end; undefined arrives. */
let ends: (Error | undefined)[]

beforeEach(() => {
  said = []
  prepared = {}
  ends = []
})

/** One try, from what the one before it left. */
function attempt(): Promise<SentMessage> {
  const onPrepared = async (handle: SentMessage['handle']): Promise<void> => {
    prepared = handle
  }
  const given = options('f-1', { prepared, onPrepared })
  return deferLive(live, given, (_markdown, own) =>
    sendParts(PARTS, own, async (part) => {
      const end = ends.shift()
      if (end) throw end
      said.push(part)
      return { messageId: part, handle: { kind: 'message' } }
    }),
  )
}

describe('a final in several messages', () => {
  it('wecom 24: goes on behind the last one that arrived when WeCom wants a pause', async () => {
    ends = [undefined, wecomError(846607, 'too often', 'send')]
    await expect(attempt()).rejects.toMatchObject({ retryable: true })
    await attempt()
    expect(said).toEqual(PARTS)
  })

  it('wecom 24: says none of them again when nobody knows how the second one ended', async () => {
    ends = [undefined, outcomeUnknown('send')]
    await expect(attempt()).rejects.toMatchObject({ code: 'wecom.outcome_unknown' })
    await expect(attempt()).rejects.toMatchObject({ code: 'wecom.outcome_unknown' })
    expect(said).toEqual(['一'])
  })
})
