/**
 * Calls of a self-built app that put something into a member's chat: message/send in the member's own
 * quota, with the media uploaded before.
 */
import { z } from 'zod'
import type { AdapterDeps, SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { OutboundFile, SentMessage } from '../../src/protocol/outbound.ts'
import type { AppApi } from './app-api.ts'
import { APP_CHAT } from './app-inbound.ts'
import { loadFile, sendUploaded } from './file.ts'
import { mediaForm } from './multipart.ts'
import { paced } from './pacing.ts'
import { sendParts } from './route.ts'
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

export interface AppCallsDeps extends AdapterDeps {
  readonly botId: string
  readonly api: AppApi
  /** Largest image that is sent as one, bytes; a larger one goes as a file. */
  readonly imageBytes: number
}

export interface AppCalls {
  /**
   * One message/send; the handle holds the card's one-time code. Throws `wecom.app_has_no_groups`, and
   * `wecom.no_receiver` for a member outside the app's visible range.
   */
  post(to: Address, body: Readonly<Record<string, unknown>>, options: SendOptions): Promise<SentMessage>
  /** As many messages as the text needs; the last one's handle. */
  text(to: Address, type: 'text' | 'markdown', content: string, options: SendOptions): Promise<SentMessage>
  file(to: Address, value: OutboundFile, options: SendOptions): Promise<SentMessage>
}

export function createAppCalls(deps: AppCallsDeps): AppCalls {
  const { api } = deps

  const post: AppCalls['post'] = async (to, body, options) => {
    const user = memberOf(to)
    const pace = { bucket: `wecom:${deps.botId}:app:${user}`, limits: MEMBER_LIMITS, lane: to.chatId }
    const answer = await paced(deps.scheduler, pace, options, () =>
      api.post(
        'message/send',
        { touser: user, agentid: api.config.agentId, ...body },
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

  return {
    post,
    text: (to, type, content, options) =>
      sendParts(splitMarkdown(content, APP_TEXT_BYTES), options, (part) =>
        post(to, { msgtype: type, [type]: { content: part } }, options),
      ),
    file: async (to, value, options) => {
      const loaded = await loadFile(value, deps.imageBytes)
      const form = mediaForm(loaded.name, loaded.content, `yizhan-${deps.random.id()}`)
      const upload = async (): Promise<string> =>
        uploadSchema.parse(await api.upload('media/upload', { type: loaded.type }, form, options.signal))
          .media_id
      return sendUploaded(options, upload, (mediaId) =>
        post(to, { msgtype: loaded.type, [loaded.type]: { media_id: mediaId } }, options),
      )
    },
  }
}

function memberOf(to: Address): string {
  if (to.chatType === 'group') {
    throw new AppError('wecom.app_has_no_groups', 'a self-built app cannot post into ordinary groups', {
      hint: 'Configure the AI bot or a group robot for this group.',
    })
  }
  return to.chatId.startsWith(APP_CHAT) ? to.chatId.slice(APP_CHAT.length) : to.chatId
}
