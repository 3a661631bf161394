/** Cards of self-built apps: one-time response codes (72 h) and the updates made with them (doc 94888). */
import { z } from 'zod'
import { checkCard } from './card-rules.ts'
import type { RawCard, StoredMessage } from './chats.ts'
import type { CorpApp } from './corp.ts'
import { sameUser } from './org.ts'
import { accept, refuse } from './refusal.ts'
import type { World } from './world.ts'

export interface AppCards {
  /** A new code for the copies of one sent card. */
  code(app: CorpApp, copies: StoredMessage[]): string
  /** A new code for the send that this copy belongs to. */
  codeOfCopy(app: CorpApp, copy: StoredMessage): string
  /** `message/update_template_card`; returns the userids that have no copy. */
  update(app: CorpApp, body: unknown): string[]
  /** A passive answer's change of the clicker's copy only. */
  changeCopy(copy: StoredMessage, change: CardChange): void
}

export type CardChange = { type: 'button'; replaceName: string } | { type: 'card'; card: RawCard }

interface Code {
  agentId: number
  copies: StoredMessage[]
  madeAt: number
  used: boolean
}

const LIFE_MS = 72 * 3_600_000

const updateSchema = z.looseObject({
  userids: z.array(z.string()).optional(),
  partyids: z.array(z.number()).optional(),
  atall: z.number().optional(),
  agentid: z.number().int(),
  response_code: z.string(),
  button: z.looseObject({ replace_name: z.string().min(1) }).optional(),
  template_card: z.unknown().optional(),
})

const holder = (copy: StoredMessage): string => copy.chat.split(':')[2] ?? ''

function changeOf(input: z.output<typeof updateSchema>, taskId: string | undefined): CardChange {
  if (input.button) return { type: 'button', replaceName: input.button.replace_name }
  if (input.template_card === undefined) throw refuse(40058, 'neither button nor template_card')
  const card = checkCard(input.template_card, { owner: 'app', update: { taskId }, isTaken: () => false })
  return { type: 'card', card }
}

export function createAppCards(world: World): AppCards {
  const codes = new Map<string, Code>()
  const sends = new Map<string, StoredMessage[]>()

  const redeem = (app: CorpApp, id: string): Code => {
    const code = codes.get(id)
    if (!code || code.agentId !== app.agentId) throw refuse(40058, 'response_code unknown')
    if (code.used) throw refuse(40058, 'response_code already used')
    if (world.clock.now() - code.madeAt > LIFE_MS) throw refuse(40058, 'response_code expired')
    return code
  }
  const change = (copy: StoredMessage, to: CardChange): void => {
    if (copy.content.type !== 'card') return
    const { stored } = copy.content
    if (to.type === 'button') stored.replaceText.set(holder(copy).toLowerCase(), to.replaceName)
    else {
      stored.raw = to.card
      stored.replaceText.clear()
    }
    world.chats.touch(copy)
  }
  const make = (app: CorpApp, copies: StoredMessage[]): string => {
    const id = `rc_${world.random.id(20)}`
    codes.set(id, { agentId: app.agentId, copies, madeAt: world.clock.now(), used: false })
    for (const copy of copies) sends.set(copy.id, copies)
    return id
  }
  return {
    code: make,
    codeOfCopy: (app, copy) => make(app, sends.get(copy.id) ?? [copy]),
    changeCopy: change,
    update: (app, body) => {
      const input = accept(updateSchema, body)
      if (input.agentid !== app.agentId) throw refuse(301002)
      const code = redeem(app, input.response_code)
      const first = code.copies[0]?.content
      const to = changeOf(input, first?.type === 'card' ? first.stored.taskId : undefined)
      const departments = (input.partyids ?? []).flatMap((id) => [...world.org.descendants(id)])
      const wanted = code.copies.filter((copy) => {
        const inDepartment = world.org
          .member(holder(copy))
          ?.departments.some((id) => departments.includes(id))
        return input.atall === 1 || inDepartment || input.userids?.some((id) => sameUser(id, holder(copy)))
      })
      const missing = (input.userids ?? []).filter(
        (id) => !code.copies.some((copy) => sameUser(holder(copy), id)),
      )
      if (wanted.length === 0) throw refuse(missing.length > 0 ? 81013 : 82001)
      code.used = true
      for (const copy of wanted) change(copy, to)
      return missing.map((id) => id.toLowerCase())
    },
  }
}
