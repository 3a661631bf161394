import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/protocol/errors.ts'
import { createToolRegistry } from '../../../../src/tools/registry.ts'
import { createVideoGenTool } from '../../../../src/tools/video/video-gen.ts'
import type { VideoJobs } from '../../../../src/video/jobs.ts'
import type { VideoRequest } from '../../../../src/video/minimax.ts'
import { errorOf, textOf, toolBench } from '../bench.ts'

const asked: VideoRequest[] = []
const jobs = (fail?: AppError): VideoJobs => ({
  submit: async (_owner, request) => {
    if (fail) throw fail
    asked.push(request)
    return 'v1'
  },
  start: () => undefined,
  stop: async () => undefined,
})

async function call(tool: ReturnType<typeof createVideoGenTool>, args: object) {
  const parsed = createToolRegistry([tool]).parse({
    id: 'x',
    name: 'video_gen',
    arguments: JSON.stringify(args),
  })
  if (!parsed.ok) return parsed
  using bench = toolBench()
  const bound = { tool: 'video_gen', args: parsed.args }
  return parsed.tool.run(parsed.args, bench.context(), new AbortController().signal, bound)
}

describe('video_gen', () => {
  it('asks with the defaults and says that it is on its way', async () => {
    expect(textOf(await call(createVideoGenTool(jobs()), { prompt: '白马' }))).toContain('number v1')
    expect(asked).toEqual([{ prompt: '白马', resolution: '1080P', duration: 5, ratio: '16:9' }])
  })

  it.each([
    [{ prompt: '' }, 'prompt'],
    [{ prompt: 'x', duration: 3 }, 'duration'],
    [{ prompt: 'x', duration: 16 }, 'duration'],
    [{ prompt: 'x', ratio: '2:1' }, 'ratio'],
    [{ prompt: 'x', resolution: '4K' }, 'resolution'],
  ])('refuses %j by its field', async (args, field) => {
    const error = errorOf(await call(createVideoGenTool(jobs()), args))
    expect(error.type).toBe('invalid_argument')
    expect(error.message).toContain(field)
  })

  it('without a key it says which setting is missing; a refusal of the provider is a result', async () => {
    expect(errorOf(await call(createVideoGenTool(undefined), { prompt: 'x' }))).toMatchObject({
      type: 'unavailable',
      message: expect.stringContaining('video.apiKey'),
    })
    const refused = new AppError('video.rejected', 'no balance', { hint: 'Pay.' })
    expect(errorOf(await call(createVideoGenTool(jobs(refused)), { prompt: 'x' }))).toEqual({
      type: 'rejected',
      message: 'no balance',
      hint: 'Pay.',
    })
  })
})
