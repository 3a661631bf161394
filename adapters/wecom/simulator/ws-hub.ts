/**
 * The long connections: one live socket per bot, subscription before anything, answers that echo the req_id.
 * It knows frames and sockets; what a command means is in ws-commands.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import type { CorpBot } from './corp.ts'
import { MINUTE_MS } from './rates.ts'
import { accept, refuse } from './refusal.ts'
import type { World } from './world.ts'
import type { CommandHandler } from './ws-commands.ts'
import { type DeveloperFrame, parseFrame } from './ws-frame.ts'

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

interface Link {
  socket: WebSocket
  bot: CorpBot | undefined
  heardAt: number
  stopIdle: () => void
}

const subscribeSchema = z.looseObject({ bot_id: z.string(), secret: z.string() })
const SUBSCRIBE_RULES = [{ windowMs: MINUTE_MS, max: 60 }]
const MISSED_MAX = 100

export function createHub(world: World, commands: Map<string, CommandHandler>): Hub {
  const server = new WebSocketServer({ noServer: true, maxPayload: 4 * 1024 * 1024 })
  const links = new Map<WebSocket, Link>()
  const missed = new Map<string, string[]>()
  const live = (botId: string): Link | undefined =>
    [...links.values()].find(
      (link) => link.bot?.botId === botId && link.socket.readyState === link.socket.OPEN,
    )

  /** Sends now, later, twice or never, as the next fault of this name says. */
  const emit = (socket: WebSocket, name: string, text: string): void => {
    const fault = world.faults.take(name, 'answer')
    if (fault?.effect === 'drop') return
    if (fault?.effect === 'delay') {
      world.clock.after(fault.ms, () => socket.send(text))
      return
    }
    socket.send(text)
    if (fault?.effect === 'duplicate') socket.send(text)
  }

  const kick = (link: Link): void => {
    const botId = link.bot?.botId ?? ''
    const body = {
      msgid: world.random.id(16),
      create_time: world.seconds(),
      aibotid: botId,
      msgtype: 'event',
      event: { eventtype: 'disconnected_event' },
    }
    const text = JSON.stringify({
      cmd: 'aibot_event_callback',
      headers: { req_id: `cb_${world.random.id(12)}` },
      body,
    })
    world.journal.open({
      channel: 'ws-out',
      name: 'aibot_event_callback:disconnected_event',
      who: botId,
      request: body,
    })
    link.bot = undefined
    link.socket.send(text)
    link.socket.close()
  }

  const subscribe = (link: Link, body: unknown): void => {
    const input = accept(subscribeSchema, body)
    if (!world.rates.hit(`subscribe:${input.bot_id}`, SUBSCRIBE_RULES)) throw refuse(45009)
    const bot = world.org.bot(input.bot_id)
    if (!bot?.secret || bot.secret !== input.secret) throw refuse(40001)
    const old = live(bot.botId)
    if (old && old !== link) kick(old)
    link.bot = bot
  }

  const answer = (link: Link, frame: DeveloperFrame): void => {
    const close = world.journal.open({
      channel: 'ws-in',
      name: frame.cmd,
      ...(link.bot ? { who: link.bot.botId } : {}),
      request: frame.body,
    })
    const reply = (verdict: object, errcode: number, body?: object): void => {
      close(body ?? {}, errcode)
      emit(
        link.socket,
        frame.cmd,
        JSON.stringify({ headers: { req_id: frame.headers.req_id }, ...verdict, ...(body ? { body } : {}) }),
      )
    }
    try {
      const body = run(link, frame)
      reply({ errcode: 0, errmsg: 'ok' }, 0, body)
    } catch (error) {
      const verdict = world.verdict(error)
      reply(verdict, verdict.errcode)
      if (frame.cmd === 'aibot_subscribe') link.socket.close()
    }
  }

  const run = (link: Link, frame: DeveloperFrame): object | undefined => {
    if (Buffer.byteLength(frame.headers.req_id) > 256) throw refuse(40058, 'req_id over 256 bytes')
    const fault = world.faults.take(frame.cmd, 'request')
    if (fault?.effect === 'error') throw refuse(fault.errcode, fault.errmsg)
    if (frame.cmd === 'aibot_subscribe') {
      subscribe(link, frame.body)
      return undefined
    }
    if (!link.bot) throw refuse(846609)
    const handler = commands.get(frame.cmd)
    if (!handler) throw refuse(40058, `unknown cmd ${frame.cmd}`)
    return handler({ bot: link.bot, reqId: frame.headers.req_id, body: frame.body })
  }

  const watchIdle = (link: Link): void => {
    const limit = world.settings.idleLimitSec * 1000
    if (limit <= 0) return
    link.stopIdle = world.clock.after(limit, () => {
      if (world.clock.monotonic() - link.heardAt >= limit) link.socket.terminate()
      else watchIdle(link)
    })
  }

  const attach = (socket: WebSocket): void => {
    const link: Link = { socket, bot: undefined, heardAt: world.clock.monotonic(), stopIdle: () => {} }
    links.set(socket, link)
    watchIdle(link)
    socket.on('message', (data) => {
      link.heardAt = world.clock.monotonic()
      const frame = parseFrame(data)
      if (!frame) return
      answer(link, frame)
      if (frame.cmd === 'aibot_subscribe' && link.bot) replay(link.bot.botId, socket)
    })
    socket.on('error', (error) => world.logger.debug({ error: error.message }, 'socket error'))
    socket.on('close', () => {
      link.stopIdle()
      links.delete(socket)
      world.journal.changed({ type: 'traffic' })
    })
  }

  const replay = (botId: string, socket: WebSocket): void => {
    for (const text of missed.get(botId) ?? []) socket.send(text)
    missed.delete(botId)
  }

  return {
    upgrade: (request, socket, head) => server.handleUpgrade(request, socket, head, attach),
    online: (botId) => live(botId) !== undefined,
    push: (botId, cmd, reqId, body) => {
      const link = live(botId)
      const text = JSON.stringify({ cmd, headers: { req_id: reqId }, body })
      if (link) emit(link.socket, cmd, text)
      else if (world.settings.replayMissed) {
        missed.set(botId, [...(missed.get(botId) ?? []), text].slice(-MISSED_MAX))
      }
      return link !== undefined
    },
    kick: (botId) => {
      const link = live(botId)
      if (link) kick(link)
    },
    kill: (botId) => live(botId)?.socket.terminate(),
    killAll: () => {
      for (const socket of links.keys()) socket.terminate()
    },
    close: () => {
      for (const socket of links.keys()) socket.terminate()
      server.close()
    },
  }
}
