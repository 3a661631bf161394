import { type Accepted, checkMentions, ownResource } from './accepted.ts'
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from './json.ts'
import { createMentions, type MentionList, partyOfAt } from './mentions.ts'
import { nameOf } from './people.ts'
import type { Platform } from './platform.ts'
import { invalidParam } from './refusal.ts'
import type { App, Chat } from './state.ts'

const locales = ['zh_cn', 'en_us', 'ja_jp', 'zh_hk', 'zh_tw']

/** Rich text as sent (with a locale wrapper) becomes rich text as received (without one). */
export function postContent(platform: Platform, app: App, chat: Chat, content: JsonObject): Accepted {
  const locale = locales.find((name) => isObject(content[name]))
  if (locale === undefined) throw invalidParam('post content needs a locale such as zh_cn')
  const post = objectOf(content[locale])
  if (!Array.isArray(post['content'])) throw invalidParam('post content is not a list of paragraphs')
  const mentions = createMentions(platform.state)
  const paragraphs = post['content'].map((paragraph: unknown) => {
    const parts = arrayOf(paragraph).map(objectOf)
    if (parts.length > 1 && parts.some((part) => part['tag'] === 'md'))
      throw invalidParam('md must be alone in its paragraph')
    return parts.map((part) => postPart(platform, app, part, mentions))
  })
  checkMentions(chat, mentions.list)
  return {
    type: 'post',
    content: { title: textOf(post['title']), content: paragraphs },
    mentions: mentions.list,
  }
}

function postPart(platform: Platform, app: App, part: JsonObject, mentions: MentionList): JsonObject {
  switch (part['tag']) {
    case 'text':
    case 'emotion':
    case 'hr':
    case 'code_block':
      return part
    case 'md':
      return { tag: 'text', text: textOf(part['text']) }
    case 'a':
      if (!/^https?:\/\//.test(textOf(part['href']))) throw invalidParam('invalid href')
      return part
    case 'at':
      return mentionPart(platform, app, textOf(part['user_id']), mentions)
    case 'img':
      ownResource(platform, app, 'image', textOf(part['image_key']))
      return part
    case 'media':
      ownResource(platform, app, 'file', textOf(part['file_key']))
      return part
    default:
      throw invalidParam(`unknown post tag ${String(part['tag'])}`)
  }
}

function mentionPart(platform: Platform, app: App, id: string, mentions: MentionList): JsonObject {
  const party = partyOfAt(platform.state, app, id)
  if (!party) throw invalidParam(`invalid user_id ${id}`)
  return { tag: 'at', user_id: mentions.add(party), user_name: nameOf(platform.state, party) }
}
