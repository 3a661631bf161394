/**
 * WeCom: an AI bot by long connection or URL callback, a self-built app, and group robots, behind one
 * adapter. This file only puts the parts together. It knows the platform; it refuses to know sessions, agents, and who may decide what.
 */
import type { Adapter, AdapterDeps, AdapterStatus } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { MessageEvent } from '../../src/protocol/inbound.ts'
import type { ApprovalsClient } from '../../src/protocol/oa-approval.ts'
import { createApprovalsClient } from './approvals/client.ts'
import { capabilitiesOf } from './capabilities.ts'
import { isCallbackBot, type WecomConfig } from './config.ts'
import { diagnoseWecom } from './diagnosis.ts'
import type { Directory } from './directory.ts'
import { downloadMedia } from './media.ts'
import { createHandlers, createParts } from './parts.ts'
import { createRobotRoute } from './robot-route.ts'
import { createWaysOut } from './ways-out.ts'
import { createWebhook, WEBHOOK_BYTES } from './webhook.ts'

export type WecomAdapter = Adapter & { readonly approvals?: ApprovalsClient }

/** Builds the adapter of one bot. Throws `wecom.config` for a half-configured callback. */
export function createWecomAdapter(config: WecomConfig, deps: AdapterDeps): WecomAdapter {
  checkConfig(config)
  const parts = createParts(config, deps)
  const { api, appRoute, bot, directory, hosts } = parts
  const handlers = createHandlers(config, deps, parts)
  const robots = createRobotRoute(config, deps)
  const ways = createWaysOut({ robots, app: appRoute, bot: bot?.route }, deps)
  const media = {
    clock: deps.clock,
    hosts,
    ...(api && { app: api }),
    ...(isCallbackBot(config.aibot) && { bot: config.aibot }),
  }
  const idle: AdapterStatus = { state: 'connected', detail: '', since: deps.clock.now() }
  const status = (): AdapterStatus => bot?.transport?.status() ?? idle

  return {
    botId: config.id,
    platform: 'wecom',
    capabilities: capabilitiesOf(config),
    start: async (receive) => {
      parts.open(receive)
      await bot?.transport?.start()
    },
    send: ways.send,
    update: ways.update,
    // Quotes come along with the message; only the sender's name is missing.
    hydrate: async (event, signal) => ({
      context: [],
      attachments: [],
      notes: [],
      names: await nameOfSender(event, directory, signal),
    }),
    download: (attachment, path, maxBytes, signal) =>
      downloadMedia(attachment, { path, maxBytes, signal }, media),
    ...(directory && { nameOf: (user, signal) => directory.name(user.replace(/^wecom:/, ''), signal) }),
    // WeCom has no reactions and no typing sign for bots.
    indicate: async () => async () => undefined,
    ...(Object.keys(handlers).length > 0 && {
      webhook: createWebhook(handlers, deps.logger),
      webhookBytes: WEBHOOK_BYTES,
    }),
    status,
    sendsHere: (to) => bot?.transport === undefined || !ways.isOfBot(to) || status().state !== 'standby',
    diagnose: (signal) => diagnoseWecom({ config, clock: deps.clock, text: deps.text, status, api }, signal),
    stop: () => parts.close(),
    ...(api &&
      directory && {
        approvals: createApprovalsClient({ ...deps, api, directory }),
      }),
  }
}

/** External people are not in the corp's directory. */
async function nameOfSender(
  { sender }: MessageEvent,
  directory: Directory | undefined,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const id = sender.isExternal ? '' : sender.user.replace(/^wecom:/, '')
  const name = await directory?.name(id, signal)
  return name === undefined ? {} : { [sender.user]: name }
}

/** A callback without its key could not be verified; better not to start (W1). */
function checkConfig(config: WecomConfig): void {
  const { app } = config
  if (app && (app.token === undefined) !== (app.encodingAesKey === undefined)) {
    throw new AppError('wecom.config', 'app.token and app.encodingAesKey must be given together', {
      hint: 'App page → receive messages → API receive: copy both.',
    })
  }
}
