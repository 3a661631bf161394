/** Every interface below `/cgi-bin/` in one table. */
import type { Routes } from './api.ts'
import type { AppCards } from './app-cards.ts'
import { appSendRoutes } from './app-send.ts'
import { approvalRoutes } from './approval-routes.ts'
import { contactRoutes } from './contact-routes.ts'
import type { Forms } from './forms.ts'
import { mediaRoutes } from './media-routes.ts'
import type { ResponseUrls } from './response-urls.ts'
import { robotRoutes } from './robot-routes.ts'
import type { Tokens } from './tokens.ts'
import type { World } from './world.ts'

interface Deps {
  world: World
  tokens: Tokens
  cards: AppCards
  forms: Forms
  responseUrls: ResponseUrls
}

export function createRoutes({ world, tokens, cards, forms, responseUrls }: Deps): Routes {
  return {
    gettoken: {
      method: 'GET',
      access: 'open',
      run: (call) => tokens.issue(call.query.get('corpid'), call.query.get('corpsecret')),
    },
    'aibot/response': {
      method: 'POST',
      access: 'open',
      run: (call) => {
        responseUrls.respond(call.query.get('response_code') ?? '', call.json())
        return {}
      },
    },
    ...appSendRoutes(world, cards),
    ...mediaRoutes(world),
    ...robotRoutes(world),
    ...contactRoutes(world),
    ...approvalRoutes(world, forms),
  }
}
