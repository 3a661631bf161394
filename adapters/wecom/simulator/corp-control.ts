/** Changes to the simulated corp, and the admin page's check of a callback address. */
import { AppError } from '../../../src/protocol/errors.ts'
import { verifyUrl } from './callback-post.ts'
import type { CorpControl } from './control.ts'
import type { World } from './world.ts'
import type { Hub } from './ws-hub.ts'

export function createCorpControl(world: World, hub: Hub): CorpControl {
  const { org } = world
  return {
    snapshot: () => structuredClone(org.corp),
    department: (input) => org.put({ departments: [input] }),
    member: (input) => org.put({ members: [input] }),
    app: (input) => org.put({ apps: [input] }),
    bot: (input) => {
      if (input.secret !== undefined && input.callback) {
        throw new AppError('simulator.refused', 'a bot has a long connection or a callback URL, never both', {
          hint: 'Leave out `secret` or `callback`.',
        })
      }
      org.put({ bots: [input] })
    },
    group: (input) => {
      org.put({ groups: [input] })
      world.journal.changed({ type: 'corp' })
    },
    online: hub.online,
    verifyCallback: async (target) => {
      const isBot = 'bot' in target
      const owner = isBot ? org.bot(target.bot) : org.app(target.agentId)
      return owner?.callback ? verifyUrl(world, owner.callback, isBot ? '' : org.corp.corpId) : false
    },
  }
}
