import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import { defineTool } from '../../protocol/tool.ts'
import { sendArgument } from '../picture.ts'
import { GROUP } from './frame.ts'
import { takePicture } from './take-picture.ts'

export function createScreenshotTool(desktops: Desktops) {
  return defineTool({
    name: 'screenshot',
    description:
      'A picture of the virtual desktop of this session (1280 × 800): programs that an operator allows, no network, the workspace as its files. ' +
      'You see it; with send it also goes into this chat. Programs are opened with ax_script; for web pages use the browser tools.',
    input: z.strictObject({ send: sendArgument }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (_args, text) => text('tools.screenshot.title'),
    run: (args, ctx) =>
      takePicture(desktops, ctx, { do: 'screenshot' }, { name: 'desktop.png', send: args.send }),
  })
}
