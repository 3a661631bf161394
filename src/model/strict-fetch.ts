/**
 * What the SDKs' requests go through. Redirects are refused: they would carry the key to another host.
 * Some providers answer a failed request with status 200 and a JSON error instead of a stream. This
 * fetch gives such an answer the status it means, so that one path classifies all failures.
 */
import { z } from 'zod'

const MAX_BODY = 64 * 1024

const errorBody = z.looseObject({
  error: z
    .union([z.string(), z.looseObject({ code: z.union([z.string(), z.number()]).nullish().catch(null) })])
    .nullish(),
  code: z.union([z.string(), z.number()]).nullish().catch(null),
  msg: z.string().nullish().catch(null),
  message: z.string().nullish().catch(null),
})

/** Wraps a `fetch`; rejects redirects, and corrects the status of errors sent as 200. */
export function createStrictFetch(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: 'error' })
    const type = response.headers.get('content-type') ?? ''
    if (response.ok && !type.includes('json')) return response
    const text = await beginning(response)
    const status = response.ok ? impliedStatus(text) : response.status
    return new Response(text === '' ? null : text, {
      status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
}

/** As much of the body as an error takes; an endless one ends there. */
async function beginning({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    bytes += piece.byteLength
    if (bytes >= MAX_BODY) break
  }
  return Buffer.concat(pieces).subarray(0, MAX_BODY).toString('utf8')
}

/** 200 for a body that is no error; else the status its code names, or 502. */
function impliedStatus(text: string): number {
  const body = parse(text)
  if (!body || (!body.error && !body.msg && !body.message)) return 200
  const inner = typeof body.error === 'object' ? body.error?.code : undefined
  const code = Number(inner ?? body.code)
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : 502
}

function parse(text: string): z.output<typeof errorBody> | undefined {
  try {
    return errorBody.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
