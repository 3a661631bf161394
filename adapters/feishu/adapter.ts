/**
 * The Feishu (Lark) platform behind the `Adapter` interface. This file only joins the parts: api/ talks
 * HTTP, transport/ and webhook/ bring events in, inbound/ reads them, card/ paints, outbound/ sends.
 * Nothing here knows agents, sessions, rules or the database.
 */
import type { Adapter, AdapterDeps, AdapterStatus, Receive } from '../../src/protocol/adapter.ts'
import { AppError, isAppError } from '../../src/protocol/errors.ts'
import { createApi } from './api/client.ts'
import { capabilities } from './capabilities.ts'
import { consoleLink, type FeishuConfig } from './config.ts'
import { diagnose } from './doctor/diagnose.ts'
import { createIdentity } from './identity.ts'
import { download } from './inbound/download.ts'
import type { InboundContext } from './inbound/envelope.ts'
import { readEvent } from './inbound/event.ts'
import { hydrate } from './inbound/hydrate.ts'
import { indicate } from './outbound/indicate.ts'
import { createSender } from './outbound/sender.ts'
import { paintReceipt } from './receipt.ts'
import { openSocket } from './transport/socket.ts'
import { createSupervisor } from './transport/supervisor.ts'
import { createWebhook } from './webhook/handler.ts'

/** An event must be answered within 3 s; asking who we are may take most of that, once. */
const IDENTITY_MS = 2_000
const START_MS = 15_000

/** Builds the adapter of one app. Nothing is loaded or connected before `start`. */
export function createFeishuAdapter(config: FeishuConfig, deps: AdapterDeps): Adapter {
  const logger = deps.logger.child({ bot: config.id, platform: 'feishu' })
  const api = createApi(config, { ...deps, fetch })
  const identity = createIdentity(api, logger)
  const sender = createSender(api, { text: deps.text, logger })
  let receive: Receive | undefined
  let webhookStatus: AdapterStatus = { state: 'starting', detail: '', since: deps.clock.now() }

  const context = (): InboundContext => ({
    botId: config.id,
    appId: config.appId,
    botOpenId: identity.known()?.openId,
    answerAll: config.answerAll,
    everyone: deps.text('feishu.everyone'),
  })

  /** A rejection means that Feishu will deliver again: also when we do not know yet who we are. */
  const handle = async (payload: unknown): Promise<object> => {
    if (!receive) throw new Error('the adapter is not running')
    if (!identity.known()) await identity.ensure(AbortSignal.timeout(IDENTITY_MS))
    const reading = readEvent(payload, context())
    if (reading.type === 'ignored') {
      logger.debug({ reason: reading.reason }, 'feishu event ignored')
      return {}
    }
    return paintReceipt(await receive(reading.event), logger)
  }

  const supervisor =
    config.transport === 'websocket'
      ? createSupervisor(config, { ...deps, logger, handle, openSocket })
      : undefined
  const webhook = supervisor ? undefined : createBotWebhook(config, deps, handle)

  const introduce = async (): Promise<void> => {
    try {
      await identity.ensure(AbortSignal.timeout(START_MS))
    } catch (error) {
      if (NEEDS_OPERATOR.some((code) => isAppError(error, code))) throw error
      logger.warn({ err: error }, 'feishu does not answer; it is asked again at the next event')
    }
  }

  return {
    botId: config.id,
    platform: 'feishu',
    capabilities,
    start: async (handler) => {
      receive = handler
      await introduce()
      await supervisor?.start()
      webhookStatus = { state: 'connected', detail: '', since: deps.clock.now() }
    },
    send: sender.send,
    update: sender.update,
    hydrate: (event, signal) => hydrate({ api, logger, context }, event, signal),
    download: (attachment, path, maxBytes, signal) => download(api, attachment, path, maxBytes, signal),
    indicate: (_to, messageId) => indicate(api, logger, messageId),
    ...(webhook ? { webhook } : {}),
    status: () => supervisor?.status() ?? webhookStatus,
    diagnose: (signal) => diagnose({ api, fetch, transport: supervisor?.status() }, signal),
    stop: async () => {
      await supervisor?.stop()
      // Requests that still come are answered with 500, so that another process gets the event.
      receive = undefined
      webhookStatus = { state: 'stopped', detail: '', since: deps.clock.now() }
    },
  }
}

const NEEDS_OPERATOR = ['feishu.bad_secret', 'feishu.bot_disabled', 'feishu.ip_refused']

/** Refuses to exist without both secrets: an address that cannot prove its callers takes nothing. */
function createBotWebhook(
  config: FeishuConfig,
  deps: AdapterDeps,
  handle: (payload: unknown) => Promise<object>,
): ReturnType<typeof createWebhook> {
  const { encryptKey, previousEncryptKey, verificationToken } = config
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
      verificationToken,
    },
    clock: deps.clock,
    logger: deps.logger,
    handle,
  })
}
