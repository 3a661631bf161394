/** What a person's message looks like once it stands in the chat, and whom it mentions. Pure. */
import type { StoredMessage } from './chats.ts'
import type { Mention, PersonMessage } from './control.ts'
import type { CorpBot } from './corp.ts'

/** Puts `@name` where the mention says; the middle is the first space, or the end without one. */
function withMention(text: string, at: Mention | undefined, name: string): string {
  if (!at) return text
  const tag = `${at.sign ?? '@'}${name}`
  const gap = at.gap ?? '\u2005'
  if (at.position === 'end') return `${text} ${tag}`
  if (at.position !== 'middle') return `${tag}${gap}${text}`
  const space = text.indexOf(' ')
  return space < 0 ? `${text} ${tag}` : `${text.slice(0, space)} ${tag}${gap}${text.slice(space + 1)}`
}

const mentions = (text: string, name: string): boolean =>
  text.includes(`@${name}`) || text.includes(`＠${name}`)

/** The stored content of what a person said; `botName` stands where `message.at` puts it. */
export function utteranceOf(message: PersonMessage, botName: string): StoredMessage['content'] {
  switch (message.type) {
    case 'text':
      return { type: 'text', text: withMention(message.text, message.at, botName) }
    case 'voice':
      return {
        type: 'voice',
        file: { name: message.name, bytes: message.bytes },
        transcript: message.transcript,
      }
    case 'mixed': {
      const parts = message.parts.map((part, index) =>
        part.type === 'text'
          ? part
          : { type: part.type, file: { name: `image-${index + 1}.png`, bytes: part.bytes } },
      )
      const first = parts.findIndex((part) => part.type === 'text')
      const tagged = parts.map((part, index) =>
        index === first && part.type === 'text'
          ? { type: part.type, text: withMention(part.text, message.at, botName) }
          : part,
      )
      return { type: 'mixed', parts: tagged }
    }
    default:
      return { type: message.type, file: { name: message.name, bytes: message.bytes } }
  }
}

/** The words that can mention somebody. */
const spokenText = (content: StoredMessage['content']): string => {
  if (content.type === 'text') return content.text
  if (content.type !== 'mixed') return ''
  return content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Bots of a group that the message notifies. Files, images, voice and video cannot mention. */
export function notifiedBots(
  message: PersonMessage,
  bots: CorpBot[],
  content: StoredMessage['content'],
): CorpBot[] {
  if (content.type !== 'text' && content.type !== 'mixed') return []
  if (message.at) return bots.filter((bot) => bot.botId === message.at?.bot)
  return bots.filter((bot) => mentions(spokenText(content), bot.name))
}
