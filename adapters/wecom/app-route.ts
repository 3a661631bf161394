/** A self-built app as a way out: message/send to one member, media, and cards with one-time codes. */
import { z } from 'zod'
import type { AdapterDeps, SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import type { Card } from '../../src/protocol/card.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { OutboundFile, SentMessage } from '../../src/protocol/outbound.ts'
import type { AppApi } from './app-api.ts'
import { APP_CHAT } from './app-inbound.ts'
import { paintCard } from './card.ts'
import { loadFile, sendUploaded } from './file.ts'
import { neutralMarkdown } from './markdown.ts'
import { mediaForm } from './multipart.ts'
import { paced } from './pacing.ts'
import { asLive, deferLive, frozen, type Route, saidAlready, sendParts } from './route.ts'
import { inner, sayFirst } from './socket-card.ts'
import { splitMarkdown } from './split.ts'

/** Largest text or markdown of message/send (doc 90236), UTF-8 bytes. */
export const APP_TEXT_BYTES = 2_048
/** Beyond it WeCom drops messages to a member without a word (doc 90312). */
const MEMBER_LIMITS = [{ calls: 30, perMs: 60_000 }]

const sentSchema = z.looseObject({
  msgid: z.string().default(''),
  response_code: z.string().optional(),
  invaliduser: z.string().default(''),
})
const uploadSchema = z.looseObject({ media_id: z.string() })

interface AppRouteDeps extends AdapterDeps {
  readonly botId: string
  readonly api: AppApi
  readonly imageBytes: number
}

export interface AppRoute extends Route {
  /** Repaints the card of a click with that click's one-time code. */
  repaint(user: string, card: Card, taskId: string, responseCode: string): Promise<void>
}

export function createAppRoute(deps: AppRouteDeps): AppRoute {
  const { api } = deps
  const agentid = api.config.agentId

  const post = async (
    to: Address,
    body: Readonly<Record<string, unknown>>,
    options: SendOptions,
  ): Promise<SentMessage> => {
    const user = memberOf(to)
    const pace = { bucket: `wecom:${deps.botId}:app:${user}`, limits: MEMBER_LIMITS, lane: to.chatId }
    const answer = await paced(deps.scheduler, pace, options, () =>
      api.post(
        'message/send',
        { touser: user, agentid, ...body },
        { repeatable: false, signal: options.signal },
      ),
    )
    const { msgid, response_code: code, invaliduser } = sentSchema.parse(answer)
    // errcode 0 does not mean that everybody got it (doc 90236).
    if (invaliduser !== '') {
      throw new AppError('wecom.no_receiver', `message/send: ${invaliduser} did not get it`, {
        hint: 'Add the person to the visible range of the app.',
        params: { user: invaliduser },
      })
    }
    return {
      messageId: msgid,
      handle: { kind: 'app', user, ...(code !== undefined && { responseCode: code }) },
    }
  }

  const text = (
    to: Address,
    type: 'text' | 'markdown',
    content: string,
    options: SendOptions,
  ): Promise<SentMessage> =>
    sendParts(splitMarkdown(content, APP_TEXT_BYTES), options, (part) =>
      post(to, { msgtype: type, [type]: { content: part } }, options),
    )

  const file = async (to: Address, value: OutboundFile, options: SendOptions): Promise<SentMessage> => {
    const loaded = await loadFile(value, deps.imageBytes)
    const form = mediaForm(loaded.name, loaded.content, `yizhan-${deps.random.id()}`)
    const upload = async (): Promise<string> =>
      uploadSchema.parse(await api.upload('media/upload', { type: loaded.type }, form, options.signal))
        .media_id
    return sendUploaded(options, upload, (mediaId) =>
      post(to, { msgtype: loaded.type, [loaded.type]: { media_id: mediaId } }, options),
    )
  }

  const repaint: AppRoute['repaint'] = async (user, card, taskId, responseCode) => {
    const body = {
      userids: [user],
      agentid,
      response_code: responseCode,
      template_card: paintCard(card, 'app', { taskId }),
    }
    await api.post('message/update_template_card', body, { repeatable: false })
  }

  const send: Route['send'] = async (to, value, options) => {
    switch (value.type) {
      case 'text':
        return text(to, 'text', value.text, options)
      case 'markdown':
        return text(to, 'markdown', neutralMarkdown(value.markdown), options)
      case 'file':
        return file(to, value.file, options)
      case 'live':
        return deferLive(value.live, options, (content, own) =>
          text(to, 'markdown', neutralMarkdown(content), own),
        )
      case 'card': {
        const painted = paintCard(value.card, 'app', { more: deps.text('wecom.card.more') })
        await sayFirst(value.card, options, (words) => text(to, 'markdown', words, inner(options)))
        const sent = await post(to, { msgtype: 'template_card', template_card: painted }, options)
        return { ...sent, handle: { ...sent.handle, taskId: painted.task_id } }
      }
    }
  }

  const update: Route['update'] = async (sent, to, value, options) => {
    const { kind, user, responseCode, taskId } = sent.handle
    const live = asLive(value)
    if (live && saidAlready(sent, live)) return sent
    if (live && kind === 'deferred') {
      return deferLive(live, options, (content, own) => text(to, 'markdown', neutralMarkdown(content), own))
    }
    if (value.type !== 'card' || typeof responseCode !== 'string') throw frozen('this app message')
    await repaint(String(user), value.card, String(taskId), responseCode)
    // The code is spent whether or not anybody looks; only a new click brings another.
    return { messageId: sent.messageId, handle: { kind: 'app', user: String(user) } }
  }

  return { send, update, repaint }
}

function memberOf(to: Address): string {
  if (to.chatType === 'group') {
    throw new AppError('wecom.app_has_no_groups', 'a self-built app cannot post into ordinary groups', {
      hint: 'Configure the AI bot or a group robot for this group.',
    })
  }
  return to.chatId.startsWith(APP_CHAT) ? to.chatId.slice(APP_CHAT.length) : to.chatId
}
