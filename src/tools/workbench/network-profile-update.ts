import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { networkChange } from '../../workbench/settings/network.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, idField, jsonAnswer } from './shape.ts'

export function createNetworkProfileUpdateTool({ settings, authority }: Workbench): AnyTool {
  return defineTool({
    name: 'network_profile_update',
    description:
      'Changes proxies and npm settings that commands and terminals get from their next start on. An administrator must approve the call. No user names or passwords.',
    input: z.strictObject({ profileId: idField.describe('Id from settings_get.'), ...networkChange.shape }),
    readOnly: false,
    risk: 'control',
    title: (args, text) => text('workbench.network_profile_update.title', { id: args.profileId }),
    run: ({ profileId, ...change }, ctx) =>
      jsonAnswer(async () => {
        const by = await authority.administrator(callerOf(ctx), ctx.callId)
        return settings.changeNetwork(profileId, networkChange.parse(change), by)
      }),
  })
}
