/** Frames of the long connection (doc 101463). An answer has no `cmd`, not even the answer to a ping. */
import { z } from 'zod'
import type { CallbackFrame } from './transport.ts'

const frameSchema = z.looseObject({
  cmd: z.string().optional(),
  headers: z.looseObject({ req_id: z.string() }),
  body: z.unknown().optional(),
  // Whatever stands here is still the answer to a request that somebody waits for.
  errcode: z.unknown().optional(),
  errmsg: z.unknown().optional(),
})

export interface AckFrame {
  readonly reqId: string
  /** Undefined when it is not a number: nobody can tell what became of the request. */
  readonly errcode: number | undefined
  readonly errmsg: string
  readonly body: unknown
}

type Frame = { type: 'callback'; callback: CallbackFrame } | { type: 'ack'; ack: AckFrame }

/** Undefined for what is not a frame. */
export function parseFrame(text: string): Frame | undefined {
  const parsed = frameSchema.safeParse(jsonOf(text))
  if (!parsed.success) return undefined
  const { cmd, headers, body, errcode, errmsg } = parsed.data
  if (cmd !== undefined) return { type: 'callback', callback: { cmd, reqId: headers.req_id, body } }
  return {
    type: 'ack',
    ack: {
      reqId: headers.req_id,
      errcode: typeof errcode === 'number' ? errcode : undefined,
      errmsg: typeof errmsg === 'string' ? errmsg : '',
      body,
    },
  }
}

export function formatFrame(cmd: string, reqId: string, body: unknown): string {
  return JSON.stringify({ cmd, headers: { req_id: reqId }, ...(body !== undefined && { body }) })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The caller counts and drops what is not a frame.
  }
}
