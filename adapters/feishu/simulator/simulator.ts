/**
 * The Feishu open platform in one process: HTTP and WebSocket on loopback, strict about what it takes.
 * It knows the wire protocol and the platform's rules; it knows nothing of the product that talks to it.
 */
import { createServer, type Server } from 'node:http'
import { serveRequest } from './api.ts'
import { createClickTokens } from './click-tokens.ts'
import type { FaultControl, FeishuControl, FeishuSimulator, FeishuSimulatorOptions } from './control.ts'
import { createUserControl } from './deeds.ts'
import { createDelivery } from './delivery.ts'
import { createFaults } from './faults.ts'
import { createIds } from './ids.ts'
import { createJournal } from './journal.ts'
import { appOf } from './people.ts'
import type { Platform } from './platform.ts'
import { createRates } from './rate.ts'
import { allRoutes } from './routes.ts'
import { defaultSettings } from './settings.ts'
import { createSockets } from './sockets.ts'
import { createState } from './state.ts'
import { createTenantControl } from './tenant.ts'
import { createTokens } from './token.ts'
import { createViewControl } from './transcript.ts'
import { createTransmission } from './transmission.ts'
import { createUuids } from './uuids.ts'

/** Starts a simulator on 127.0.0.1. Rejects when the port is taken. */
export async function createFeishuSimulator(options: FeishuSimulatorOptions): Promise<FeishuSimulator> {
  const platform = createPlatform(options)
  const routes = allRoutes(platform)
  const server = createServer((request, response) => {
    serveRequest(platform, routes, request, response).catch((error: unknown) => {
      platform.state.logger.error({ error }, 'simulator request failed')
      response.destroy()
    })
  })
  server.on('upgrade', (request, socket, head) => platform.sockets.upgrade(request, socket, head))
  const port = await listen(server, options.port ?? 0)
  return {
    url: `http://127.0.0.1:${port}`,
    control: createControl(platform),
    stop: async () => {
      platform.delivery.stop()
      platform.sockets.stop()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

function createPlatform(options: FeishuSimulatorOptions): Platform {
  const { clock, random, logger } = options
  const settings = { ...defaultSettings, ...options.settings }
  const state = createState(
    { clock, random, logger: logger.child({ room: 'feishu-simulator' }) },
    createIds(random),
    settings,
  )
  const journal = createJournal(clock)
  const faults = createFaults()
  const sockets = createSockets({ state, journal, faults })
  return {
    state,
    journal,
    faults,
    sockets,
    tokens: createTokens(state),
    rates: createRates(clock),
    delivery: createDelivery(state, createTransmission({ state, journal, faults, sockets })),
    uuids: createUuids(clock),
    clickTokens: createClickTokens(state),
  }
}

function createControl(platform: Platform): FeishuControl {
  return {
    ...createTenantControl(platform),
    ...createUserControl(platform),
    ...createViewControl(platform),
    faults: createFaultControl(platform),
    configure: (change) => {
      platform.state.settings = { ...platform.state.settings, ...change }
    },
  }
}

function createFaultControl(platform: Platform): FaultControl {
  const { faults, sockets, delivery, state } = platform
  return {
    onRequest: faults.addRequest,
    onDelivery: faults.addDelivery,
    onEndpoint: faults.addEndpoint,
    closeSockets: (appId, code = 1001) => sockets.close(appId, code),
    stallSockets: (appId) => sockets.stall(appId, true),
    resumeSockets: (appId) => sockets.stall(appId, false),
    redeliver: (messageId, { newEventId = false, appId } = {}) =>
      delivery.redeliver(messageId, { newEventId, ...(appId === undefined ? {} : { appId }) }),
    emit: (appId, eventType, event) => delivery.event(appOf(state, appId), eventType, event),
    clear: faults.clear,
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
