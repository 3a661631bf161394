/**
 * The Feishu (Lark) platform behind the `Adapter` interface. This file only joins the parts: api/ talks
 * HTTP, transport/ and webhook/ bring events in, inbound/ reads them, card/ paints, outbound/ sends.
 * Nothing here knows agents, sessions, rules or the database.
 */

import type { Adapter, AdapterDeps, AdapterStatus } from '../../src/protocol/adapter.ts'
import type { UserKey } from '../../src/protocol/address.ts'
import { AppError, isAppError } from '../../src/protocol/errors.ts'
import type { Logger } from '../../src/protocol/ports.ts'
import { type Api, createApi } from './api/client.ts'
import { getNames } from './api/directory.ts'
import { capabilities } from './capabilities.ts'
import { consoleLink, type FeishuConfig } from './config.ts'
import { diagnose } from './doctor/diagnose.ts'
import { createIdentity, type Identity } from './identity.ts'
import { download } from './inbound/download.ts'
import { hydrate } from './inbound/hydrate.ts'
import { createIntake } from './intake.ts'
import { indicate } from './outbound/indicate.ts'
import { createSender } from './outbound/sender.ts'
import { openSocket } from './transport/socket.ts'
import { createSupervisor } from './transport/supervisor.ts'
import { createWebhook } from './webhook/handler.ts'
import { WEBHOOK_BYTES } from './webhook/verify.ts'

const START_MS = 15_000

/** Builds the adapter of one app. Nothing is loaded or connected before `start`. */
export function createFeishuAdapter(config: FeishuConfig, deps: AdapterDeps): Adapter {
  const logger = deps.logger.child({ bot: config.id, platform: 'feishu' })
  const api = createApi(config, { ...deps, fetch })
  const identity = createIdentity(api, logger)
  const sender = createSender(api, { text: deps.text, logger, clock: deps.clock })
  const intake = createIntake(config, { identity, logger, text: deps.text })
  const { handle, context } = intake
  let webhookStatus: AdapterStatus = { state: 'starting', detail: '', since: deps.clock.now() }

  const supervisor =
    config.transport === 'websocket'
      ? createSupervisor(config, { ...deps, logger, handle, openSocket })
      : undefined
  const webhook = supervisor ? undefined : createBotWebhook(config, { ...deps, logger }, handle)

  return {
    botId: config.id,
    platform: 'feishu',
    capabilities,
    start: async (handler) => {
      intake.open(handler)
      await introduce(identity, logger)
      await supervisor?.start()
      webhookStatus = { state: 'connected', detail: '', since: deps.clock.now() }
    },
    send: sender.send,
    update: sender.update,
    hydrate: (event, signal) => hydrate({ api, logger, context }, event, signal),
    download: (attachment, path, maxBytes, signal) =>
      download({ api, clock: deps.clock }, attachment, path, maxBytes, signal),
    nameOf: (user, signal) => nameOf(api, user, signal),
    indicate: (_to, messageId) => indicate(api, logger, messageId),
    ...(webhook ? { webhook, webhookBytes: WEBHOOK_BYTES } : {}),
    status: () => supervisor?.status() ?? webhookStatus,
    diagnose: (signal) => diagnose({ api, fetch, text: deps.text, transport: supervisor?.status() }, signal),
    stop: async () => {
      await supervisor?.stop()
      // Requests that still come are answered with 500, so that another process gets the event.
      intake.close()
      webhookStatus = { state: 'stopped', detail: '', since: deps.clock.now() }
    },
  }
}

/** A person's display name; undefined without the contact scopes. Never rejects: names are only shown. */
async function nameOf(api: Api, user: UserKey, signal: AbortSignal): Promise<string | undefined> {
  const openId = user.replace(/^feishu:/, '')
  try {
    return (await getNames(api, [openId], signal)).get(openId)
  } catch {
    return undefined
  }
}

/** Learns who we are; only what an operator must change stops the start. */
async function introduce(identity: Identity, logger: Logger): Promise<void> {
  try {
    await identity.ensure(AbortSignal.timeout(START_MS))
  } catch (error) {
    if (NEEDS_OPERATOR.some((code) => isAppError(error, code))) throw error
    logger.warn({ err: error }, 'feishu does not answer; it is asked again at the next event')
  }
}

const NEEDS_OPERATOR = ['feishu.bad_secret', 'feishu.bot_disabled', 'feishu.ip_refused']

/** Refuses to exist without both secrets: an address that cannot prove its callers takes nothing. */
function createBotWebhook(
  config: FeishuConfig,
  deps: AdapterDeps,
  handle: (payload: unknown) => Promise<object>,
): ReturnType<typeof createWebhook> {
  const { encryptKey, previousEncryptKey, previousUntil, verificationToken } = config
  if (!encryptKey || !verificationToken) {
    throw new AppError(
      'feishu.webhook_without_keys',
      `bot ${config.id} has no encryptKey or verificationToken`,
      {
        hint: `Set both; they are at ${consoleLink(config, 'event')} → Encryption strategy.`,
      },
    )
  }
  return createWebhook({
    keys: {
      appId: config.appId,
      encryptKeys: [encryptKey, ...(previousEncryptKey ? [previousEncryptKey] : [])],
      ...(previousUntil === undefined ? {} : { previousUntil }),
      verificationToken,
    },
    clock: deps.clock,
    logger: deps.logger,
    handle,
  })
}
