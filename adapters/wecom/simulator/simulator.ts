/**
 * The WeCom platform in one process, on one loopback port: HTTP API, media host, AI bot long connection.
 * It refuses what the real platform refuses and is driven by the control interface. It knows no adapter.
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import { createAppCards } from './app-cards.ts'
import { createAppLink } from './app-link.ts'
import { createBotLink } from './bot-link.ts'
import { createBotOutput } from './bot-output.ts'
import { createClicks } from './clicks.ts'
import type { SimulatorDeps, WecomControl, WecomSimulator } from './control.ts'
import { createCorpControl } from './corp-control.ts'
import { createFaultControl } from './fault-control.ts'
import { createForms } from './forms.ts'
import { createApi, listen } from './http-server.ts'
import { createPeople } from './people.ts'
import { createResponseUrls } from './response-urls.ts'
import { createRoutes } from './routes.ts'
import { createStreams } from './streams.ts'
import { createTokens } from './tokens.ts'
import { createUploads } from './uploads.ts'
import { createUrlBots } from './url-bots.ts'
import { createWorld, DEFAULT_SETTINGS } from './world.ts'
import { createCommands } from './ws-commands.ts'
import { createHub, type Hub } from './ws-hub.ts'

/** Starts a simulator on `127.0.0.1`; resolves once it listens. */
export async function createWecomSimulator(deps: SimulatorDeps): Promise<WecomSimulator> {
  const server = createServer()
  const port = await listen(server, deps.port ?? 0)
  const baseUrl = `http://127.0.0.1:${port}`
  const { clock, random, logger } = deps
  const world = createWorld({
    clock,
    random,
    logger,
    baseUrl,
    settings: { ...DEFAULT_SETTINGS, ...deps.settings },
  })
  const output = createBotOutput(world, createStreams(world))
  const uploads = createUploads(world)
  const hub = createHub(world, createCommands(world, output, uploads))
  const responseUrls = createResponseUrls(world, output)
  const botLink = createBotLink({ world, hub, responseUrls, urlBots: createUrlBots(world, output) })
  const cards = createAppCards(world)
  const appLink = createAppLink(world, cards)
  const tokens = createTokens(world)
  const forms = createForms(world, appLink)
  const faults = createFaultControl({ world, hub, tokens })
  const api = createApi({
    world,
    tokens,
    routes: createRoutes({ world, tokens, cards, forms, responseUrls }),
  })

  serve(server, { api, hub, isCut: faults.isCut })

  const control: WecomControl = {
    corp: createCorpControl(world, hub),
    people: createPeople({
      world,
      botLink,
      appLink,
      click: createClicks({ world, botLink, appLink, cards }),
    }),
    approvals: forms.control,
    faults: faults.control,
    settings: world.settings,
    transcript: world.chats.transcript,
    message: world.chats.message,
    journal: world.journal.entries,
    onChange: world.journal.onChange,
    until: world.journal.until,
  }
  return {
    url: baseUrl,
    wsUrl: `ws://127.0.0.1:${port}`,
    control,
    stop: async () => {
      hub.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

interface Serving {
  api: RequestListener
  hub: Hub
  isCut: () => boolean
}

/** Hands requests on, unless the network is cut. */
function serve(server: Server, { api, hub, isCut }: Serving): void {
  server.on('request', (request, response) => {
    if (isCut()) request.socket.destroy()
    else api(request, response)
  })
  server.on('upgrade', (request, socket, head) => {
    if (isCut()) socket.destroy()
    else hub.upgrade(request, socket, head)
  })
}
