import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type GatewayStage, messageEvent, openGateway } from './stage.ts'

/** What may reach us about three messages of a chat, in any order and more than once. */
const deed = fc.record({
  what: fc.constantFrom('message', 'message', 'copy', 'reply', 'recall'),
  which: fc.nat(2),
})
const shuffles = fc.sample(fc.array(deed, { maxLength: 7 }), { numRuns: 10_000, seed: 20_261_130 })
type Deed = (typeof shuffles)[number][number]

let stage: GatewayStage
beforeEach(async () => {
  stage = await openGateway()
})
afterEach(() => stage.close())

const messageId = (chatId: string, which: number): string => `om_${chatId}_${which}`

function deliver(chatId: string, { what, which }: Deed, step: number, isFixed: boolean): Promise<unknown> {
  const address = { botId: 'ops', chatId, chatType: 'group' } as const
  const ids = { address, eventId: `ev_${chatId}_${step}`, messageId: messageId(chatId, which) }
  if (what === 'recall') return stage.gateway.receive({ type: 'recalled', ...ids, sentAt: stage.clock.now() })
  // A reply may come before its parent, or when there is none any more.
  const quoted = what === 'reply' ? { quoted: { messageId: messageId(chatId, (which + 1) % 3) } } : {}
  const moment = isFixed ? { isSentAtFixed: true as const } : {}
  return stage.gateway.receive(messageEvent({ ...ids, mentionsBot: true, ...quoted, ...moment }))
}

/** How many rows of each message that was heard of are work: one, or none when it was recalled. */
function rightWork(chatId: string, deeds: readonly Deed[]): [string, number][] {
  const recalled = new Set(deeds.filter(({ what }) => what === 'recall').map(({ which }) => which))
  return [...new Set(deeds.map(({ which }) => which))].map((which) => [
    messageId(chatId, which),
    recalled.has(which) ? 0 : 1,
  ])
}

it.each([
  ['fixes', true],
  ['does not fix', false],
])(
  'R24: ten thousand shuffles of messages, copies, replies and recalls, on a platform that %s their moment: each message is one row, and a recalled one is no work, whichever came first',
  {
    timeout: 120_000,
  },
  async (_whether, isFixed) => {
    const chats = shuffles.map((deeds, at) => ({ chatId: `oc_s${at}`, deeds, atOnce: at % 4 === 0 }))
    for (let from = 0; from < chats.length; from += 250)
      await Promise.all(
        chats.slice(from, from + 250).map(async ({ chatId, deeds, atOnce }) => {
          const send = (one: Deed, step: number) => deliver(chatId, one, step, isFixed)
          if (atOnce) await Promise.all(deeds.map(send))
          else for (const [step, one] of deeds.entries()) await send(one, step)
        }),
      )
    await stage.gateway.drain()
    const rows = await stage.store.db.selectFrom('inbox').select(['payload', 'kind', 'state']).execute()
    const messages = Map.groupBy(
      rows.filter(({ kind }) => kind !== 'event'),
      ({ payload }) => (JSON.parse(payload) as { messageId: string }).messageId,
    )
    const twice = [...messages.values()].filter((copies) => copies.length > 1)
    const wrong = chats
      .flatMap(({ chatId, deeds }) => rightWork(chatId, deeds))
      .filter(([id, count]) => workIn(messages.get(id)) !== count)
    expect({ wrong, twice }).toEqual({ wrong: [], twice: [] })
  },
)

function workIn(rows: readonly { readonly state: string }[] = []): number {
  return rows.filter(({ state }) => state === 'waiting').length
}
