/** Group robots (doc 99110): a way out only, one group each, addressed as `robot:<name>`. */
import { z } from 'zod'
import type { AdapterDeps, SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { OutboundFile, SentMessage } from '../../src/protocol/outbound.ts'
import { refused } from './card.ts'
import { PUBLIC_API, type WecomConfig } from './config.ts'
import { loadFile } from './file.ts'
import { callApi } from './http.ts'
import { cardMarkdown, literalMarkdown, neutralMarkdown } from './markdown.ts'
import { mediaForm } from './multipart.ts'
import { paced } from './pacing.ts'
import { asLive, deferLive, frozen, type Route, saidAlready, sendParts } from './route.ts'
import { splitMarkdown } from './split.ts'

/** Prefix of chats that are a group robot. */
export const ROBOT_CHAT = 'robot:'
/** Largest markdown_v2, UTF-8 bytes. */
const MARKDOWN_BYTES = 4_096
const LIMITS = [{ calls: 20, perMs: 60_000 }]
const uploadSchema = z.looseObject({ media_id: z.string() })

/** Sends need no reply window; errors are `wecom.unknown_robot` and, for a card with buttons, `wecom.card_refused`. */
export function createRobotRoute(config: WecomConfig, deps: AdapterDeps): Route {
  const { post, file } = createRobotCalls(config, deps)

  const markdown = (to: Address, content: string, options: SendOptions): Promise<SentMessage> =>
    sendParts(splitMarkdown(content, MARKDOWN_BYTES), options, (part) =>
      post(to, { msgtype: 'markdown_v2', markdown_v2: { content: part } }, options),
    )

  const send: Route['send'] = async (to, value, options) => {
    switch (value.type) {
      case 'text':
        return markdown(to, literalMarkdown(value.text), options)
      case 'markdown':
        return markdown(to, neutralMarkdown(value.markdown), options)
      case 'file':
        return file(to, value.file, options)
      case 'live':
        return deferLive(value.live, options, (content, own) => markdown(to, neutralMarkdown(content), own))
      case 'card':
        if (value.card.buttons.length > 0) throw refused('robot', 'a group robot has no buttons')
        return markdown(to, cardMarkdown(value.card), options)
    }
  }

  return {
    send,
    update: async (sent, to, value, options) => {
      const live = asLive(value)
      if (live && saidAlready(sent, live)) return sent
      if (live === undefined || sent.handle.kind !== 'deferred') throw frozen('a robot message')
      return deferLive(live, options, (content, own) => markdown(to, neutralMarkdown(content), own))
    },
  }
}

/** Calls of the webhook API, each to the robot of a chat. */
interface RobotCalls {
  post(to: Address, body: Readonly<Record<string, unknown>>, options: SendOptions): Promise<SentMessage>
  file(to: Address, value: OutboundFile, options: SendOptions): Promise<SentMessage>
}

function createRobotCalls(config: WecomConfig, deps: AdapterDeps): RobotCalls {
  const base = (config.app?.baseUrl ?? PUBLIC_API).replace(/\/$/, '')
  const url = (path: string, query: Readonly<Record<string, string>>): string =>
    `${base}/cgi-bin/webhook/${path}?${new URLSearchParams(query)}`

  const post: RobotCalls['post'] = async (to, body, options) => {
    const { name, key } = robotOf(config, to)
    const pace = { bucket: `wecom:${config.id}:robot:${name}`, limits: LIMITS, lane: to.chatId }
    await paced(deps.scheduler, pace, options, () =>
      callApi({
        name: 'webhook/send',
        url: url('send', { key }),
        json: body,
        repeatable: false,
        signal: options.signal,
      }),
    )
    return { messageId: options.key, handle: { kind: 'message' } }
  }

  const file: RobotCalls['file'] = async (to, value, options) => {
    const { key } = robotOf(config, to)
    const { name, content } = await loadFile(value, config.imageBytes)
    const raw = mediaForm(name, content, `yizhan-${deps.random.id()}`)
    const answer = await callApi({
      name: 'webhook/upload_media',
      url: url('upload_media', { key, type: 'file' }),
      raw,
      repeatable: true,
      timeoutMs: 120_000,
      signal: options.signal,
    })
    return post(to, { msgtype: 'file', file: { media_id: uploadSchema.parse(answer).media_id } }, options)
  }

  return { post, file }
}

function robotOf({ groupRobots }: WecomConfig, to: Address): { name: string; key: string } {
  const name = to.chatId.slice(ROBOT_CHAT.length)
  const key = groupRobots[name]
  if (key !== undefined) return { name, key }
  throw new AppError('wecom.unknown_robot', `no group robot named "${name}"`, {
    hint: `Put its key under groupRobots; known: ${Object.keys(groupRobots).join(', ') || 'none'}.`,
    params: { name },
  })
}
