/** A picture of a screen: always shown to the model, and on request sent into the chat. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ToolContext, ToolResult } from '../protocol/tool.ts'

/** The argument that sends it, the same in every tool that makes a picture. */
export const sendArgument = z
  .boolean()
  .default(false)
  .describe('Also send the picture into this chat, when a person asked to see it. Default false.')

/** `name` is what people see, e.g. `browser.png`. A failed delivery fails the call; the model sees why. */
export async function pictureResult(
  png: Buffer,
  ctx: ToolContext,
  options: {
    readonly name: string
    readonly send: boolean
    readonly text: string
    /** True when what is shown was made by nobody in the chat. */
    readonly foreign: boolean
  },
): Promise<ToolResult> {
  const images = [{ mime: 'image/png', base64: png.toString('base64') }]
  const { foreign } = options
  if (!options.send) return { ok: true, text: options.text, images, foreign }
  const folder = join(ctx.privateDir, 'snapshots')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${createHash('sha256').update(ctx.callId).digest('hex').slice(0, 16)}.png`)
  await writeFile(path, png, { mode: 0o600 })
  const kind = png.length > ctx.limits.imageBytes ? 'file' : 'image'
  const outcome = await ctx.sendFile({ path, name: options.name, kind })
  if (!outcome.ok) return { ok: false, error: outcome.error }
  return { ok: true, text: `${options.text}\nThe picture was sent to this chat.`, images, foreign }
}
