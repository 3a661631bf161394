/**
 * From the event's arrival to the request at the model, durable in between. Real groups of the
 * simulator, one message at a time: the answer before it is delivered, so that nothing else runs.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { makeRequest, type Spoken } from './events.ts'
import { sendAll } from './load-client.ts'
import { openMockModel } from './mock-model.ts'
import { atMost, quantile, type Row } from './row.ts'
import { openTenant, startOurs, type Tenant } from './servers.ts'

const CHATS = 20
/** Unmeasured: the first requests load the SDK, and the code is compiled by its use. */
const WARM_UP = 40
const REST_MS = 5
const ANSWER_MS = 10_000

export async function measureModelRequest(quick: boolean): Promise<Row[]> {
  const count = quick ? 60 : 200
  const tenant = await openTenant()
  const model = await openMockModel()
  const ours = await startOurs(tenant, { yaml: model.yaml })
  const groups = openGroups(tenant)
  const waits: number[] = []
  try {
    for (let i = 0; i < count + WARM_UP; i++) {
      const group = groups[i % CHATS]
      if (!group) throw new Error('there are no groups')
      const text = `第 ${i} 次：这次构建为什么失败？`
      const request = makeRequest(tenant.keys, '/webhooks/bench', ours.port, { ...group.say(text), text })
      const asked = model.next()
      const began = performance.now()
      const { refused } = await sendAll(ours.port, [request], 1)
      if (refused > 0) throw new Error(`message ${i} was refused`)
      const at = await asked
      if (i >= WARM_UP) waits.push(at - began)
      await group.answered()
      await pause(REST_MS)
    }
  } finally {
    await ours.stop()
    await tenant.simulator.stop()
    model.close()
  }
  return [
    atMost('event → model request, p50', quantile(waits, 0.5), 'ms', 10),
    atMost('event → model request, p99', quantile(waits, 0.99), 'ms', 40),
  ]
}

export interface Group {
  readonly chatId: string
  /** Somebody writes; the bot is not told. */
  say(text: string): Spoken
  /** Resolves when every message has its whole answer. */
  answered(): Promise<void>
}

/** Groups of one person and the bot. */
export function openGroups({ simulator, keys }: Tenant, count = CHATS): Group[] {
  const { control } = simulator
  return Array.from({ length: count }, (_, index) => {
    const user = control.createUser({ name: `成员${index}` })
    const chatId = control.createChat({ members: [user.userId], bots: [keys.appId] })
    let said = 0
    const answers = (): number =>
      control.transcript(chatId).filter(({ sender, card }) => sender.kind === 'bot' && !card?.streaming)
        .length
    return {
      chatId,
      say: (text) => {
        said++
        const messageId = control.say(chatId, user.userId, [{ at: keys.appId }, ` ${text}`])
        return { chatId, messageId, openId: control.openId(user.userId, keys.appId) }
      },
      answered: async () => {
        const latest = performance.now() + ANSWER_MS
        while (answers() < said) {
          if (performance.now() > latest) throw new Error(`message ${said} of ${chatId} was not answered`)
          await pause(2)
        }
      },
    }
  })
}
