/** Things going wrong on purpose. */
import type { FaultControl } from './control.ts'
import type { Tokens } from './tokens.ts'
import type { World } from './world.ts'
import type { Hub } from './ws-hub.ts'

interface Deps {
  world: World
  hub: Hub
  tokens: Tokens
}

export function createFaultControl({ world, hub, tokens }: Deps): {
  control: FaultControl
  isCut(): boolean
} {
  let cutUntil = Number.NEGATIVE_INFINITY
  return {
    isCut: () => world.clock.monotonic() < cutUntil,
    control: {
      add: world.faults.add,
      clear: world.faults.clear,
      killSocket: hub.kill,
      kick: hub.kick,
      cutNetwork: (ms) => {
        cutUntil = world.clock.monotonic() + ms
        hub.killAll()
      },
      invalidateTokens: tokens.invalidate,
      callerIp: (ip) => {
        world.callerIp = ip
      },
    },
  }
}
