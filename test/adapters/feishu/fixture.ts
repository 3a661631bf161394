import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { InboundContext } from '../../../adapters/feishu/inbound/envelope.ts'

/** A recorded payload of the platform's documented shape. */
export function fixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'))
}

const messageFixture = z.looseObject({
  event: z.looseObject({ sender: z.looseObject({}), message: z.looseObject({}) }),
})

/** The recorded topic message with other fields in `message` and `sender`. */
export function messagePayload(message: object, sender: object = {}): unknown {
  const whole = messageFixture.parse(fixture('message-topic'))
  return {
    ...whole,
    event: {
      sender: { ...whole.event.sender, ...sender },
      message: { ...whole.event.message, ...message },
    },
  }
}

/** Any event under the recorded header. */
export function eventPayload(type: string, event: unknown): unknown {
  const { header } = z.looseObject({ header: z.looseObject({}) }).parse(fixture('message-topic'))
  return { schema: '2.0', header: { ...header, event_type: type }, event }
}

export const context: InboundContext = {
  botId: 'ops',
  appId: 'cli_0123456789abcdef',
  botOpenId: 'ou_bot',
  answerAll: false,
  everyone: '@所有人',
}
