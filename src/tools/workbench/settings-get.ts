import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { jsonAnswer } from './shape.ts'

export function createSettingsGetTool({ settings }: Workbench): AnyTool {
  return defineTool({
    name: 'settings_get',
    description:
      'Shows the language, the model profiles and the network profiles of the service. Never a key.',
    input: z.strictObject({}),
    readOnly: true,
    risk: 'read',
    title: (_args, text) => text('workbench.settings_get.title'),
    run: () => jsonAnswer(() => Promise.resolve(settings.view())),
  })
}
