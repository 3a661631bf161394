/** What the desktop tools share: the group they are asked for as, the place on the screen, the call itself. */
import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import type { DesktopAnswer, DesktopStep, VirtualDesktop } from '../../desktop/virtual-desktop.ts'
import { SCREEN } from '../../desktop/virtual-desktop.ts'
import type { ToolContext, ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'

/** Group of tools that are asked for as one, and the name in the approval. */
export const GROUP = 'computer'

const ACT_MS = 20_000

export const xArgument = z
  .int()
  .min(0)
  .max(SCREEN.width - 1)
  .describe(`Pixels from the left edge of the screen, 0 to ${SCREEN.width - 1}.`)
  .meta({ examples: [640] })

export const yArgument = z
  .int()
  .min(0)
  .max(SCREEN.height - 1)
  .describe(`Pixels from the top, 0 to ${SCREEN.height - 1}.`)
  .meta({ examples: [400] })

/** Works on the session's desktop, which is started when there is none. Failures are results. */
export function onDesktop(
  desktops: Desktops,
  ctx: ToolContext,
  work: (desktop: VirtualDesktop) => Promise<ToolResult>,
): Promise<ToolResult> {
  return asResult(() => desktops.use(ctx, true, work))
}

/** One deed, answered with a line that says what was done and which windows are open. */
export function deed(
  desktops: Desktops,
  ctx: ToolContext,
  step: DesktopStep,
  say: (answer: DesktopAnswer) => string,
  ms: number = ACT_MS,
): Promise<ToolResult> {
  return onDesktop(desktops, ctx, async (desktop) => ({ ok: true, text: say(await desktop.act(step, ms)) }))
}

export function openWindows(titles: readonly string[]): string {
  return titles.length === 0 ? 'No window is open.' : `Open windows: ${titles.join(' · ')}`
}
