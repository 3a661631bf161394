import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import { defineTool } from '../../protocol/tool.ts'
import { sendArgument } from '../picture.ts'
import { GROUP } from './frame.ts'
import { takePicture } from './take-picture.ts'

export function createScreenshotWindowTool(desktops: Desktops) {
  return defineTool({
    name: 'screenshot_window',
    description:
      'A picture of one window of the virtual desktop, brought to the front first. Its title need only be a part of the real one.',
    input: z.strictObject({
      title: z
        .string()
        .min(3)
        .max(200)
        .describe('Part of the title, at least 3 characters; case does not count.')
        .meta({ examples: ['Mousepad'] }),
      send: sendArgument,
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.screenshot_window.title', { title: args.title }),
    run: (args, ctx) =>
      takePicture(
        desktops,
        ctx,
        { do: 'screenshot_window', title: args.title },
        { name: 'window.png', send: args.send },
      ),
  })
}
