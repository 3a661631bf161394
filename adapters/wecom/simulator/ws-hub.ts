/**
 * The long connections: one live socket per bot, subscription before anything, answers that echo the req_id.
 * It knows frames and sockets; what a command means is in ws-commands.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { MINUTE_MS } from './rates.ts'
import { accept, byteLength, refuse } from './refusal.ts'
import type { World } from './world.ts'
import type { CommandHandler } from './ws-commands.ts'
import { type DeveloperFrame, parseFrame } from './ws-frame.ts'
import { createLinks, type Link, type Links } from './ws-links.ts'

export interface Hub {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  online(botId: string): boolean
  /** Sends a callback; false when the bot is not connected. */
  push(botId: string, cmd: string, reqId: string, body: object): boolean
  /** Sends `disconnected_event` and closes, as a second subscribe does. */
  kick(botId: string): void
  kill(botId: string): void
  killAll(): void
  close(): void
}

interface HubParts {
  world: World
  commands: Map<string, CommandHandler>
  links: Links
  /** Callbacks of a time without connection, kept when the setting says so. */
  missed: Map<string, string[]>
}

const subscribeSchema = z.looseObject({ bot_id: z.string(), secret: z.string() })
const SUBSCRIBE_RULES = [{ windowMs: MINUTE_MS, max: 60 }]
const MISSED_MAX = 100

export function createHub(world: World, commands: Map<string, CommandHandler>): Hub {
  const server = new WebSocketServer({ noServer: true, maxPayload: 4 * 1024 * 1024 })
  const links = createLinks(world)
  const parts: HubParts = { world, commands, links, missed: new Map() }
  return {
    upgrade: (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (accepted) => attach(parts, accepted)),
    online: (botId) => links.live(botId) !== undefined,
    push: (botId, cmd, reqId, body) => {
      const text = JSON.stringify({ cmd, headers: { req_id: reqId }, body })
      const link = links.live(botId)
      if (link) links.send(link, cmd, text)
      else if (world.settings.replayMissed) {
        parts.missed.set(botId, [...(parts.missed.get(botId) ?? []), text].slice(-MISSED_MAX))
      }
      return link !== undefined
    },
    kick: (botId) => {
      const link = links.live(botId)
      if (link) links.kick(link)
    },
    kill: (botId) => links.live(botId)?.socket.terminate(),
    killAll: links.terminateAll,
    close: () => {
      links.terminateAll()
      server.close()
    },
  }
}

function attach(parts: HubParts, socket: WebSocket): void {
  const { world, links, missed } = parts
  const link = links.open(socket)
  socket.on('message', (data) => {
    link.heardAt = world.clock.monotonic()
    const frame = parseFrame(data)
    if (!frame) return
    answer(parts, link, frame)
    if (frame.cmd !== 'aibot_subscribe' || !link.bot) return
    for (const text of missed.get(link.bot.botId) ?? []) socket.send(text)
    missed.delete(link.bot.botId)
  })
}

/** Runs the command and answers with its req_id and without a `cmd`. */
function answer(parts: HubParts, link: Link, frame: DeveloperFrame): void {
  const { world, links } = parts
  const close = world.journal.open({
    channel: 'ws-in',
    name: frame.cmd,
    ...(link.bot ? { who: link.bot.botId } : {}),
    request: frame.body,
  })
  const reply = (verdict: { errcode: number; errmsg: string }, body?: object): void => {
    close(body ?? {}, verdict.errcode)
    const text = JSON.stringify({
      headers: { req_id: frame.headers.req_id },
      ...verdict,
      ...(body ? { body } : {}),
    })
    links.send(link, frame.cmd, text)
  }
  try {
    const body = run(parts, link, frame)
    reply({ errcode: 0, errmsg: 'ok' }, body)
  } catch (error) {
    reply(world.verdict(error))
    if (frame.cmd === 'aibot_subscribe') link.socket.close()
  }
}

function run(parts: HubParts, link: Link, frame: DeveloperFrame): object | undefined {
  const reqId = frame.headers.req_id
  if (byteLength(reqId) > 256) throw refuse(40058, 'req_id over 256 bytes')
  const fault = parts.world.faults.take(frame.cmd, 'request')
  if (fault?.effect === 'error') throw refuse(fault.errcode, fault.errmsg)
  if (frame.cmd === 'aibot_subscribe') {
    subscribe(parts, link, frame.body)
    return undefined
  }
  if (!link.bot) throw refuse(846609)
  const handler = parts.commands.get(frame.cmd)
  if (!handler) throw refuse(40058, `unknown cmd ${frame.cmd}`)
  return handler({ bot: link.bot, reqId, body: frame.body })
}

/** The code for a wrong secret is unpublished; 40001 is what an app would get. */
function subscribe({ world, links }: HubParts, link: Link, body: unknown): void {
  const input = accept(subscribeSchema, body)
  if (!world.rates.hit(`subscribe:${input.bot_id}`, SUBSCRIBE_RULES)) throw refuse(45009)
  const bot = world.org.bot(input.bot_id)
  if (!bot?.secret || bot.secret !== input.secret) throw refuse(40001)
  const old = links.live(bot.botId)
  if (old && old !== link) links.kick(old)
  link.bot = bot
}
