/** The open sockets of the long connection and who subscribed on them; sending with faults, kicking, idling. */
import type { WebSocket } from 'ws'
import type { CorpBot } from './corp.ts'
import type { World } from './world.ts'

export interface Link {
  readonly socket: WebSocket
  /** The subscribed bot. */
  bot: CorpBot | undefined
  /** Monotonic time of the last frame. */
  heardAt: number
}

export interface Links {
  open(socket: WebSocket): Link
  /** The bot's live connection. */
  live(botId: string): Link | undefined
  /** Sends now, later, twice or never, as the next fault of this name says. */
  send(link: Link, name: string, text: string): void
  /** Sends `disconnected_event`, which has no `from`, and closes. */
  kick(link: Link): void
  terminateAll(): void
}

export function createLinks(world: World): Links {
  const links = new Set<Link>()
  return {
    open: (socket) => {
      const link: Link = { socket, bot: undefined, heardAt: world.clock.monotonic() }
      links.add(link)
      const stopIdle = watchIdle(world, link)
      socket.on('error', (error) => world.logger.debug({ error: error.message }, 'socket error'))
      socket.on('close', () => {
        stopIdle()
        links.delete(link)
        world.journal.changed({ type: 'traffic' })
      })
      return link
    },
    live: (botId) =>
      [...links].find((link) => link.bot?.botId === botId && link.socket.readyState === link.socket.OPEN),
    send: (link, name, text) => {
      const fault = world.faults.take(name, 'answer')
      if (fault?.effect === 'drop') return
      if (fault?.effect === 'delay') {
        world.clock.after(fault.ms, () => link.socket.send(text))
        return
      }
      link.socket.send(text)
      if (fault?.effect === 'duplicate') link.socket.send(text)
    },
    kick: (link) => kick(world, link),
    terminateAll: () => {
      for (const { socket } of links) socket.terminate()
    },
  }
}

function kick(world: World, link: Link): void {
  const botId = link.bot?.botId ?? ''
  const body = {
    msgid: world.random.id(16),
    create_time: world.seconds(),
    aibotid: botId,
    msgtype: 'event',
    event: { eventtype: 'disconnected_event' },
  }
  const cmd = 'aibot_event_callback'
  world.journal.open({ channel: 'ws-out', name: `${cmd}:disconnected_event`, who: botId, request: body })
  link.bot = undefined
  link.socket.send(JSON.stringify({ cmd, headers: { req_id: `cb_${world.random.id(12)}` }, body }))
  link.socket.close()
}

/** Ends a connection that says nothing for the set time; returns the cancellation. */
function watchIdle(world: World, link: Link): () => void {
  const limit = world.settings.idleLimitSec * 1000
  if (limit <= 0) return () => {}
  let cancel = (): void => {}
  const check = (): void => {
    const silent = world.clock.monotonic() - link.heardAt
    if (silent >= limit) link.socket.terminate()
    else cancel = world.clock.after(limit - silent, check)
  }
  cancel = world.clock.after(limit, check)
  return () => cancel()
}
