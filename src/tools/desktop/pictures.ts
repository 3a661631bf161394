import { z } from 'zod'
import type { DeskStep } from '../../desktop/desk.ts'
import type { Desktops } from '../../desktop/desktops.ts'
import { defineTool, type ToolContext, type ToolResult, toolError } from '../../protocol/tool.ts'
import { pictureResult, sendArgument } from '../picture.ts'
import { atDesk, GROUP, openWindows } from './frame.ts'

const PICTURE_MS = 20_000

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
    run: (args, ctx) => take(desktops, ctx, { do: 'screenshot' }, { name: 'desktop.png', send: args.send }),
  })
}

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
      take(
        desktops,
        ctx,
        { do: 'screenshot_window', title: args.title },
        { name: 'window.png', send: args.send },
      ),
  })
}

function take(
  desktops: Desktops,
  ctx: ToolContext,
  step: DeskStep,
  options: { readonly name: string; readonly send: boolean },
): Promise<ToolResult> {
  return atDesk(desktops, ctx, async (desk) => {
    const { png, windows } = await desk.act(step, PICTURE_MS)
    if (png === undefined) return toolError('failed', 'No picture came back.', 'Try again.')
    return pictureResult(Buffer.from(png, 'base64'), ctx, {
      ...options,
      text: openWindows(windows),
      foreign: false,
    })
  })
}
