import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { modelChange } from '../../workbench/settings/profiles.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, idField, jsonAnswer } from './shape.ts'

export function createModelProfileUpdateTool({ settings, authority }: Workbench): AnyTool {
  return defineTool({
    name: 'model_profile_update',
    description:
      'Changes a model profile of the service: its name, whether it is the default, its model and how much it thinks. The key is never touched, and the server stays the configured one. An administrator must approve the call.',
    input: z.strictObject({ profileId: idField.describe('Id from settings_get.'), ...modelChange.shape }),
    readOnly: false,
    risk: 'control',
    title: (args, text) => text('workbench.model_profile_update.title', { id: args.profileId }),
    run: ({ profileId, ...change }, ctx) =>
      jsonAnswer(async () => {
        const by = await authority.administrator(callerOf(ctx), ctx.callId)
        return settings.changeModel(profileId, modelChange.parse(change), by)
      }),
  })
}
