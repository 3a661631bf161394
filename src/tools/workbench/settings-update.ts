import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer } from './shape.ts'

export function createSettingsUpdateTool({ settings, authority }: Workbench): AnyTool {
  return defineTool({
    name: 'settings_update',
    description:
      'Sets the language the service speaks in chats. An administrator must approve the call. Models and proxies: model_profile_update, network_profile_update.',
    input: z.strictObject({
      language: z
        .enum(['system', 'zh-CN', 'en'])
        .describe("The service's own words in every chat; system: as configured for each bot."),
    }),
    readOnly: false,
    risk: 'control',
    title: (args, text) => text('workbench.settings_update.title', { language: args.language }),
    run: ({ language }, ctx) =>
      jsonAnswer(async () => {
        const by = await authority.administrator(callerOf(ctx), ctx.callId)
        return settings.setLanguage(language, by)
      }),
  })
}
