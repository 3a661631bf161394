import type { Desktops } from '../../desktop/desktops.ts'
import type { DesktopStep } from '../../desktop/virtual-desktop.ts'
import { type ToolContext, type ToolResult, toolError } from '../../protocol/tool.ts'
import { pictureResult } from '../picture.ts'
import { onDesktop, openWindows } from './frame.ts'

const PICTURE_MS = 20_000

/** A picture as a result: the model sees it, and with `send` it goes into the chat. */
export function takePicture(
  desktops: Desktops,
  ctx: ToolContext,
  step: DesktopStep,
  options: { readonly name: string; readonly send: boolean },
): Promise<ToolResult> {
  return onDesktop(desktops, ctx, async (desktop) => {
    const { png, windows } = await desktop.act(step, PICTURE_MS)
    if (png === undefined) return toolError('failed', 'No picture came back.', 'Try again.')
    return pictureResult(Buffer.from(png, 'base64'), ctx, {
      ...options,
      text: openWindows(windows),
      foreign: false,
    })
  })
}
