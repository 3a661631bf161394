/** Videos, if the operator turned them on: the provider, the rows, and the way into the chat. */

import { join } from 'node:path'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { ANSWER_DEADLINE_MS } from '../outbound/deadlines.ts'
import type { Outbox } from '../outbound/outbox.ts'
import { chatKey } from '../protocol/address.ts'
import type { OutboundMessage } from '../protocol/outbound.ts'
import { prepareFolders } from '../session/workspace.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import { createVideoGenTool, NO_KEY } from '../tools/video/video-gen.ts'
import { createVideoJobs, type VideoDelivery, type VideoOwner } from '../video/jobs.ts'
import { createMinimaxClient } from '../video/minimax.ts'
import { snapshotFile } from '../worker/snapshot.ts'
import type { HouseOptions } from './house.ts'
import { NO_MODULE, sourceWithProblem, type ToolModule } from './tool-module.ts'

/** Held in memory while it is fetched. */
const MOST_BYTES = 100 * 1024 * 1024

/** The video tool, or none when `video.enabled` is false. */
export function buildVideo(options: HouseOptions, outbox: Outbox): ToolModule {
  const { config, store, clock, random, logger } = options
  if (!config.video.enabled) return NO_MODULE
  const { apiKey, baseUrl } = config.video
  if (apiKey === '') {
    return { ...NO_MODULE, source: withoutKey() }
  }
  const jobs = createVideoJobs({
    ...{ store, clock, random, logger },
    client: createMinimaxClient(config.video),
    // The provider may serve files from its own host, which the operator named; all else must be public.
    fetch: createGuardedFetch({ allow: [new URL(baseUrl).host], clock }),
    delivery: deliveryInto(options, outbox),
  })
  const tools = [createVideoGenTool(jobs)]
  return {
    source: { tools: () => tools },
    start: async () => jobs.start(),
    stop: jobs.stop,
  }
}

function withoutKey(): ToolSource {
  const source = sourceWithProblem([createVideoGenTool(undefined)], async () => ({
    ...{ key: 'video_key', params: {} },
    message: NO_KEY,
  }))
  void source.look()
  return source
}

function deliveryInto(options: HouseOptions, outbox: Outbox): VideoDelivery {
  const { store, bots, dataDir, random } = options
  const put = async (owner: VideoOwner, id: string, message: OutboundMessage): Promise<void> => {
    await outbox.put(store.db, {
      key: `video-${id}`,
      address: owner.address,
      sessionId: owner.sessionId,
      ref: `video:${id}`,
      priority: 'high',
      deadlineMs: ANSWER_DEADLINE_MS,
      payload: { message },
    })
    outbox.flush(chatKey(owner.address))
  }
  return {
    path: (owner, id) => join(prepareFolders(dataDir, owner.sessionId).privateDir, 'videos', `${id}.mp4`),
    fileBytes: ({ address }) => {
      const most = bots.adapter(address.botId)?.capabilities.fileBytes ?? MOST_BYTES
      return Math.min(most, MOST_BYTES)
    },
    file: async (owner, id, path) => {
      const source = { path, name: `video-${id}.mp4`, kind: 'video' as const }
      const file = await snapshotFile(dataDir, owner.sessionId, source, random)
      await put(owner, id, { type: 'file', file })
    },
    failure: (owner, id, { code, params }) => {
      const text = bots.text(owner.address.botId)
      const reason = text(`video.reason.${code}`, params)
      return put(owner, id, { type: 'text', text: text('video.failed', { id, reason }) })
    },
  }
}
