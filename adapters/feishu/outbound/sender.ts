import type { AdapterDeps, SendOptions } from '../../../src/protocol/adapter.ts'
import type { Address } from '../../../src/protocol/address.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { OutboundMessage, SentMessage } from '../../../src/protocol/outbound.ts'
import type { Api } from '../api/client.ts'
import { editText, patchCard } from '../api/message.ts'
import { paintAnswer } from '../card/answer.ts'
import { paintCard } from '../card/card.ts'
import { breakMentions } from '../card/literal.ts'
import { sendMarkdown, sendText } from './answer.ts'
import { sendFile } from './file.ts'
import { parseHandle } from './handle.ts'
import { createLive } from './live.ts'
import { deliver } from './target.ts'

/** The sending half of the adapter; errors are `AppError`s. */
export interface Sender {
  send(to: Address, message: OutboundMessage, options: SendOptions): Promise<SentMessage>
  update(sent: SentMessage, to: Address, message: OutboundMessage, options: SendOptions): Promise<SentMessage>
}

/** `OutboundMessage` → platform calls, one way per kind of message. */
export function createSender(api: Api, deps: Pick<AdapterDeps, 'text' | 'logger' | 'clock'>): Sender {
  const live = createLive(api, deps)
  return {
    send: async (to, message, options) => {
      const outgoing = { to, replyTo: message.replyTo }
      switch (message.type) {
        case 'text':
          return sendText(api, outgoing, message.text, options)
        case 'markdown':
          return sendMarkdown(api, outgoing, message.markdown, options)
        case 'card': {
          const wire = { msgType: 'interactive' as const, content: paintCard(message.card) }
          const messageId = await deliver(api, to, wire, message.replyTo, options)
          return { messageId, handle: { mode: 'patch' } }
        }
        case 'live':
          return live.send(to, message, options)
        case 'file':
          return sendFile(api, to, message, options)
        default:
          return message satisfies never
      }
    },
    update: async (sent, to, message, options) => {
      if (message.type === 'live') return live.update(sent, to, message, options)
      const { mode } = parseHandle(sent.handle)
      if (message.type === 'text' && mode === 'text') {
        await editText(api, sent.messageId, breakMentions(message.text), options)
        return sent
      }
      if (mode !== 'patch' || (message.type !== 'card' && message.type !== 'markdown')) {
        throw new AppError('feishu.not_updatable', `a ${mode} message cannot become ${message.type}`, {
          hint: 'A new message is sent instead.',
        })
      }
      const card = message.type === 'card' ? paintCard(message.card) : paintAnswer(message.markdown)
      await patchCard(api, sent.messageId, card, options)
      return sent
    },
  }
}
