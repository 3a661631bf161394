import { z } from 'zod'
import { isAppError } from '../../protocol/errors.ts'
import { defineTool, toolError } from '../../protocol/tool.ts'
import type { VideoJobs } from '../../video/jobs.ts'
import { oneLine } from '../one-line.ts'

const PROMPT_CHARS = 2_000

/** `jobs` is undefined when the operator gave no key: the tool says so. */
export function createVideoGenTool(jobs: VideoJobs | undefined) {
  return defineTool({
    name: 'video_gen',
    description:
      'Has a short video made from a description (MiniMax; costs money). It takes minutes: the call returns at once, and the file is sent into this chat when it is ready. ' +
      'Say that it is on its way, and do not wait for it or ask again.',
    input: z.strictObject({
      prompt: z
        .string()
        .min(1)
        .max(PROMPT_CHARS)
        .describe('What the video shows: scene, movement, style.')
        .meta({ examples: ['清晨的驿站，一匹白马缓缓走来，电影质感'] }),
      resolution: z.enum(['1080P', '2K']).default('1080P').describe('Default 1080P.'),
      duration: z.int().min(4).max(15).default(5).describe('Seconds, 4 to 15. Default 5.'),
      ratio: z
        .enum(['21:9', '16:9', '4:3', '1:1', '3:4', '9:16'])
        .default('16:9')
        .describe('Width to height. Default 16:9.'),
    }),
    readOnly: false,
    risk: 'control',
    title: (args, text) => text('tools.video_gen.title', { prompt: oneLine(args.prompt) }),
    run: async (args, ctx, signal) => {
      if (!jobs) return toolError('unavailable', NO_KEY, 'Tell the person; an operator can add the key.')
      try {
        const id = await jobs.submit(ctx, args, signal)
        return {
          ok: true,
          text: `The video (${args.duration} s, ${args.resolution}, ${args.ratio}) is being made, number ${id}. The service sends it into this chat when it is ready.`,
          data: { id },
        }
      } catch (error) {
        if (!isAppError(error)) throw error
        return toolError(error.code.replace(/^(tool|video)\./, ''), error.message, error.hint)
      }
    },
  })
}

/** For the model and the operator, in English; people read the locale's words. */
export const NO_KEY = 'Videos need a key of MiniMax: set video.apiKey in the configuration.'
