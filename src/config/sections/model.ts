/** Models by wire format. */
import { z } from 'zod'
import { url } from './values.ts'

export const modelProfile = z.discriminatedUnion('protocol', [
  z.strictObject({
    protocol: z.literal('openai'),
    baseUrl: url,
    /** Empty is legal: local servers such as Ollama need none. */
    apiKey: z.string().default(''),
    model: z.string().min(1),
    contextTokens: z.int().min(4_000).default(128_000),
    maxOutputTokens: z.int().min(256).default(8_192),
    images: z.boolean().default(true),
    /** Extra fields of the request body, for providers with switches of their own. */
    extra: z.record(z.string(), z.unknown()).default({}),
    price: z
      .strictObject({
        input: z.number(),
        output: z.number(),
        cached: z.number().optional(),
        currency: z.string().default('CNY'),
      })
      .optional(),
  }),
  z.strictObject({
    protocol: z.literal('anthropic'),
    baseUrl: url.default('https://api.anthropic.com'),
    apiKey: z.string().min(1),
    model: z.string().min(1),
    contextTokens: z.int().min(4_000).default(200_000),
    maxOutputTokens: z.int().min(256).default(8_192),
    images: z.boolean().default(true),
    /** How much the model thinks; left to the server when absent. */
    effort: z.enum(['low', 'medium', 'high']).optional(),
    /** Asks for the context of a million tokens and counts on it. */
    context1m: z.boolean().optional(),
    price: z
      .strictObject({
        input: z.number(),
        output: z.number(),
        cached: z.number().optional(),
        currency: z.string().default('USD'),
      })
      .optional(),
  }),
  z.strictObject({ protocol: z.literal('demo') }),
])
