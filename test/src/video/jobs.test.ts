import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../../../src/net/guarded-fetch.ts'
import type { Store } from '../../../src/store/store.ts'
import {
  createVideoJobs,
  type VideoFailure,
  type VideoJobs,
  type VideoOwner,
} from '../../../src/video/jobs.ts'
import { createMinimaxClient, type VideoRequest } from '../../../src/video/minimax.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { openTestStore } from '../../support/store.ts'
import { type Provider, startProvider } from './provider.ts'

const KEY = 'sk-canary-0123456789'
const owner: VideoOwner = {
  sessionId: 's1',
  address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
}
const request: VideoRequest = { prompt: '白马', resolution: '1080P', duration: 5, ratio: '16:9' }
const never = new AbortController().signal

let provider: Provider
let store: Store
let jobs: VideoJobs
let clock: ReturnType<typeof createManualClock>
let logger: ReturnType<typeof createCollectingLogger>
let folder: string
let files: { id: string; bytes: string; chat: string }[]
let failures: VideoFailure[]
let fileBytes: number

/** Another process on the same rows, or the same one after a restart. */
const open = (): VideoJobs =>
  createVideoJobs({
    ...{ store, clock, logger, random: createSeededRandom('video') },
    client: createMinimaxClient({ apiKey: KEY, baseUrl: provider.url, model: 'MiniMax-H3' }),
    fetch: createGuardedFetch({ allow: [new URL(provider.url).host], clock }),
    delivery: {
      path: (_owner, id) => join(folder, `${id}.mp4`),
      fileBytes: () => fileBytes,
      file: async ({ address }, id, path) => {
        files.push({ id, bytes: readFileSync(path, 'utf8'), chat: address.chatId })
      },
      failure: async (_owner, _id, failure) => {
        failures.push(failure)
      },
    },
  })

beforeEach(async () => {
  provider = await startProvider()
  store = await openTestStore()
  clock = createManualClock()
  logger = createCollectingLogger()
  folder = mkdtempSync(join(tmpdir(), 'yizhan-video-'))
  files = []
  failures = []
  fileBytes = 1_000_000
  jobs = open()
})
afterEach(async () => {
  await jobs.stop()
  await Promise.all([store.close(), provider.close()])
})

const stateOf = async (id: string) =>
  (await store.db.selectFrom('video_jobs').select('state').where('id', '=', id).executeTakeFirst())?.state
/** One poll later, and whatever it set off. */
const poll = async (until: () => boolean): Promise<void> => {
  await clock.advance(5_000)
  await expect.poll(until, { timeout: 10_000 }).toBe(true)
}

describe('videos', () => {
  it('asks with the documented body, waits, fetches the file and hands it over once', async () => {
    provider.states = [
      { status: 'queued' },
      { status: 'running' },
      { status: 'succeeded', content: { video_url: `${provider.url}/files/video.mp4` } },
    ]
    const id = await jobs.submit(owner, request, never)
    expect(provider.asked).toEqual([
      {
        method: 'POST',
        path: '/v2/video_generation',
        key: `Bearer ${KEY}`,
        body: {
          model: 'MiniMax-H3',
          content: [{ type: 'text', text: '白马' }],
          resolution: '1080P',
          duration: 5,
          ratio: '16:9',
        },
      },
    ])
    jobs.start()
    await poll(() => provider.asked.length === 2)
    expect(provider.asked[1]?.path).toBe('/v2/query/video_generation/task-1')
    await poll(() => provider.asked.length === 3)
    await poll(() => files.length === 1)
    expect(files).toEqual([{ id, bytes: 'an mp4 file', chat: 'oc_1' }])
    await expect.poll(() => stateOf(id)).toBe('done')
    expect(readdirSync(folder)).toEqual([])
    await clock.advance(60_000)
    expect(provider.asked).toHaveLength(4)
  })

  it('R: goes on after a restart with what was under way', async () => {
    const id = await jobs.submit(owner, request, never)
    await jobs.stop()
    provider.states = [{ status: 'succeeded', video_url: `${provider.url}/files/video.mp4` }]
    jobs = open()
    jobs.start()
    await poll(() => files.length === 1)
    expect(files[0]?.id).toBe(id)
  })

  it('two processes ask about one video once', async () => {
    provider.states = [{ status: 'succeeded', content: { video_url: `${provider.url}/files/video.mp4` } }]
    await jobs.submit(owner, request, never)
    const other = open()
    jobs.start()
    other.start()
    await poll(() => files.length === 1)
    await other.stop()
    await jobs.stop()
    expect(provider.fetched()).toBe(1)
    expect(files).toHaveLength(1)
  })

  it('says into the chat why there is none: refused, given up, not fetched, too large', async () => {
    const outcome = async (states: object[]): Promise<VideoFailure | undefined> => {
      failures = []
      provider.states = states
      await jobs.submit(owner, request, never)
      await poll(() => failures.length === 1)
      return failures[0]
    }
    jobs.start()
    const succeeded = { status: 'succeeded', content: { video_url: `${provider.url}/files/video.mp4` } }
    expect(await outcome([{ status: 'failed', error: { message: '内容不合规' } }])).toEqual({
      code: 'rejected',
      params: { detail: '内容不合规' },
    })
    provider.file = { status: 404, bytes: Buffer.from('') }
    expect(await outcome([succeeded])).toEqual({ code: 'download', params: { detail: 'HTTP 404' } })
    provider.file = { status: 200, bytes: Buffer.alloc(2_000_000) }
    expect(await outcome([succeeded])).toEqual({ code: 'too_large', params: { megabytes: 1 } })
    const inside = { status: 'succeeded', content: { video_url: 'http://169.254.169.254/video.mp4' } }
    expect(await outcome([inside])).toMatchObject({ code: 'download' })
  })

  it('gives up after half an hour, and says so', async () => {
    await jobs.submit(owner, request, never)
    await clock.advance(30 * 60_000)
    jobs.start()
    await poll(() => failures.length === 1)
    expect(failures).toEqual([{ code: 'timed_out', params: { minutes: 30 } }])
  })

  it('a provider that is away for a while loses nothing', async () => {
    provider.states = [
      { nonsense: true },
      { status: 'succeeded', content: { video_url: `${provider.url}/files/video.mp4` } },
    ]
    await jobs.submit(owner, request, never)
    jobs.start()
    await poll(() => provider.asked.length === 2)
    await poll(() => files.length === 1)
    expect(failures).toEqual([])
  })

  it('bounds how many of one chat are made at once', async () => {
    for (let made = 0; made < 3; made++) await jobs.submit(owner, request, never)
    await expect(jobs.submit(owner, request, never)).rejects.toMatchObject({ code: 'tool.limit' })
    await expect(jobs.submit({ ...owner, sessionId: 's2' }, request, never)).resolves.toEqual(
      expect.any(String),
    )
  })

  it.each([
    [401, { base_resp: { status_code: 1004, status_msg: `invalid api key ${KEY}` } }, 'video.rejected'],
    [200, { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, 'video.rejected'],
    [200, { nothing: 1 }, 'video.rejected'],
    [429, {}, 'video.unavailable'],
    [503, {}, 'video.unavailable'],
  ])('K2: an answer %i %j is %s, and the key is in no error, row or log line', async (status, body, code) => {
    provider.created = { status, body }
    const error = await jobs.submit(owner, request, never).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code })
    const rows = await store.db.selectFrom('video_jobs').selectAll().execute()
    expect(rows.map((row) => row.state)).toEqual(['failed'])
    const seen = JSON.stringify([
      rows,
      logger.lines,
      error instanceof Error ? { ...error, text: error.stack } : '',
    ])
    expect(seen).not.toContain('canary')
  })
})
