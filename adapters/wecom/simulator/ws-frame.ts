/** What a developer's frame looks like on the wire. */
import type { RawData } from 'ws'
import { z } from 'zod'

const frameSchema = z.looseObject({
  cmd: z.string(),
  headers: z.looseObject({ req_id: z.string().min(1) }),
  body: z.unknown().optional(),
})

export type DeveloperFrame = z.output<typeof frameSchema>

const textOf = (data: RawData): string =>
  (Array.isArray(data)
    ? Buffer.concat(data)
    : Buffer.from(data instanceof ArrayBuffer ? new Uint8Array(data) : data)
  ).toString('utf8')

/** The frame, or undefined for what is no frame. */
export function parseFrame(data: RawData): DeveloperFrame | undefined {
  try {
    return frameSchema.safeParse(JSON.parse(textOf(data))).data
  } catch {
    // Not JSON: there is no req_id to answer to, so the frame is dropped like one without headers.
    return undefined
  }
}
