/** Search engines with an API. */
import { z } from 'zod'
import { url } from './values.ts'

/** Where web searches go; every kind has its public address as the default. */
export const searchSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('searxng'), baseUrl: url }),
  z.strictObject({
    kind: z.enum(['bing', 'brave', 'tavily', 'bocha']),
    apiKey: z.string().min(1),
    baseUrl: url.optional(),
  }),
])
