import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayStage, messageEvent, openGateway } from './stage.ts'

/** What may reach us about three messages of a chat, in any order and more than once. */
const deed = fc.record({
  what: fc.constantFrom('message', 'message', 'copy', 'reply', 'recall'),
  which: fc.nat(2),
})
const shuffles = fc.sample(fc.array(deed, { maxLength: 7 }), { numRuns: 10_000, seed: 20_261_130 })
type Deed = (typeof shuffles)[number][number]

let stage: GatewayStage
beforeAll(async () => {
  stage = await openGateway()
})
afterAll(() => stage.close())

const messageId = (chatId: string, which: number): string => `om_${chatId}_${which}`

function deliver(chatId: string, { what, which }: Deed, step: number): Promise<unknown> {
  const address = { botId: 'ops', chatId, chatType: 'group' } as const
  const ids = { address, eventId: `ev_${chatId}_${step}`, messageId: messageId(chatId, which) }
  if (what === 'recall') return stage.gateway.receive({ type: 'recalled', ...ids, sentAt: stage.clock.now() })
  // A reply may come before its parent, or when there is none any more.
  const quoted = what === 'reply' ? { quoted: { messageId: messageId(chatId, (which + 1) % 3) } } : {}
  return stage.gateway.receive(messageEvent({ ...ids, mentionsBot: true, ...quoted }))
}

/** One row per message that was heard of, and none that was recalled is work. */
function rightRows(chatId: string, deeds: readonly Deed[]): [string, string][] {
  const recalled = new Set(deeds.filter(({ what }) => what === 'recall').map(({ which }) => which))
  return [...new Set(deeds.map(({ which }) => which))].map((which) => [
    `ops:m:${messageId(chatId, which)}`,
    recalled.has(which) ? 'dropped' : 'waiting',
  ])
}

it('R24: ten thousand shuffles of messages, copies, replies and recalls: each message is one row, and a recalled one is no work, whichever came first', {
  timeout: 120_000,
}, async () => {
  const chats = shuffles.map((deeds, at) => ({ chatId: `oc_s${at}`, deeds, atOnce: at % 4 === 0 }))
  for (let from = 0; from < chats.length; from += 250)
    await Promise.all(
      chats.slice(from, from + 250).map(async ({ chatId, deeds, atOnce }) => {
        if (atOnce) await Promise.all(deeds.map((one, step) => deliver(chatId, one, step)))
        else for (const [step, one] of deeds.entries()) await deliver(chatId, one, step)
      }),
    )
  await stage.gateway.drain()
  const rows = await stage.store.db.selectFrom('inbox').select(['dedupe', 'state']).execute()
  const right = chats.flatMap(({ chatId, deeds }) => rightRows(chatId, deeds))
  const states = new Map(rows.map(({ dedupe, state }) => [dedupe, state]))
  const wrong = right.filter(([dedupe, state]) => states.get(dedupe) !== state)
  expect([wrong, rows.length]).toEqual([[], right.length])
})
