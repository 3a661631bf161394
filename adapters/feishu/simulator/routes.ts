import { applicationRoutes } from './application.ts'
import { cardkitRoutes } from './cardkit.ts'
import { contactRoutes } from './contacts.ts'
import { fileRoutes } from './files.ts'
import { identityRoutes } from './identity.ts'
import { changeRoutes } from './message-change.ts'
import { readRoutes } from './message-read.ts'
import { sendRoutes } from './message-send.ts'
import type { Platform, Route } from './platform.ts'
import { reactionRoutes } from './reactions.ts'

/** A route and what its path carried. */
export interface Matched {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** Every call the simulated platform answers. Of two that fit, the earlier one wins. */
export function allRoutes(platform: Platform): Route[] {
  const rooms = [
    sendRoutes,
    changeRoutes,
    readRoutes,
    reactionRoutes,
    fileRoutes,
    identityRoutes,
    contactRoutes,
    cardkitRoutes,
    applicationRoutes,
  ]
  return rooms.flatMap((room) => room(platform))
}

/** The route of a path and its parameters, decoded. */
export function matchRoute(routes: readonly Route[], method: string, pathname: string): Matched | undefined {
  const parts = pathname.split('/')
  for (const route of routes) {
    if (route.method !== method) continue
    const wanted = route.path.split('/')
    if (wanted.length !== parts.length) continue
    if (!wanted.every((part, at) => part.startsWith(':') || part === parts[at])) continue
    const params = wanted.flatMap((part, at) =>
      part.startsWith(':') ? [[part.slice(1), decodePart(parts[at] ?? '')]] : [],
    )
    return { route, params: Object.fromEntries(params) }
  }
  return undefined
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
