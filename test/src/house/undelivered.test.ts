import { expect, it } from 'vitest'
import { undeliveredNotice } from '../../../src/house/undelivered.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { LiveHandle } from '../../../src/store/repositories/runs.ts'
import type { OutboxRow } from '../../../src/store/schema.ts'

const address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const }
const running: LiveHandle = { generation: 0, sent: { messageId: 'om_1', handle: {} } }
const message = { type: 'markdown', markdown: 'the answer' }

function row(payload: string): OutboxRow {
  return {
    ...{ id: 7, key: 'f-r1-0', ref: 'final:r1', session_id: 's', bot_id: 'ops' },
    ...{ address: JSON.stringify(address), payload },
  } as OutboxRow
}

function notice(state: 'failed' | 'unknown', payload: string, live: LiveHandle | undefined = running) {
  const error = new AppError('feishu.refused', 'no')
  return undeliveredNotice(
    row(payload),
    { state, error },
    { approvals: { byId: async () => undefined }, text: (key) => key, live: async () => live },
  )
}

const intoRun = JSON.stringify({ message, intoRun: 'r1' })
const plain = (state: string): object => ({
  payload: { message: { type: 'markdown', markdown: `outbox.undelivered.${state}` } },
})

it('a running message whose answer failed stops thinking: the notice takes its place', async () => {
  expect(await notice('failed', intoRun)).toMatchObject({
    key: 'u-7',
    address,
    payload: {
      message: {
        type: 'live',
        live: { phase: 'failed', label: 'live.phase.failed', text: 'outbox.undelivered.failed' },
      },
      intoRun: 'r1',
    },
  })
})

it('R22: an answer that may stand there is not painted over; the chat learns it in a message of its own', async () => {
  expect(await notice('unknown', intoRun)).toMatchObject(plain('unknown'))
})

it('a later part of an answer leaves the first one standing', async () => {
  expect(await notice('failed', JSON.stringify({ message }))).toMatchObject(plain('failed'))
})

it('without a running message, or for a row that cannot be read, the notice is a message of its own', async () => {
  expect(await notice('failed', intoRun, { generation: 0 })).toMatchObject(plain('failed'))
  expect(await notice('failed', '{')).toMatchObject(plain('failed'))
})
