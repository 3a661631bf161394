/** `response_url`: one message into the chat of a callback, once, within an hour (doc 101138). */
import { z } from 'zod'
import type { BotOutput } from './bot-output.ts'
import { accept, refuse } from './refusal.ts'
import type { World } from './world.ts'

export interface ResponseUrls {
  make(botId: string, chat: string, messageId: string | undefined): string
  /** Answers `POST /cgi-bin/aibot/response?response_code=`. */
  respond(code: string, body: unknown): void
}

interface Code {
  botId: string
  chat: string
  messageId: string | undefined
  madeAt: number
  used: boolean
}

const LIFE_MS = 3_600_000
const typeSchema = z.looseObject({ msgtype: z.string().optional() })

export function createResponseUrls(world: World, output: BotOutput): ResponseUrls {
  const codes = new Map<string, Code>()
  return {
    make: (botId, chat, messageId) => {
      const code = world.random.id(20)
      codes.set(code, { botId, chat, messageId, madeAt: world.clock.now(), used: false })
      return `${world.baseUrl}/cgi-bin/aibot/response?response_code=${code}`
    },
    respond: (code, body) => {
      const known = codes.get(code)
      const bot = known ? world.org.bot(known.botId) : undefined
      if (!known || !bot) throw refuse(40058, 'response_code unknown')
      if (known.used) throw refuse(40058, 'response_code already used')
      if (world.clock.now() - known.madeAt > LIFE_MS) throw refuse(40058, 'response_code expired')
      if (accept(typeSchema, body).msgtype === undefined) throw refuse(40008, 'msgtype missing')
      const allowed = ['markdown', 'template_card']
      output.place({ bot, chat: known.chat, way: 'url', allowed, body, quoteId: known.messageId })
      known.used = true
    },
  }
}
