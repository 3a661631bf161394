import type { CallRequest } from '../../../src/protocol/adapter.ts'

/** A second as the platform sees it: calls that start a second apart may arrive closer together. */
const SECOND_MS = 1_150

/** A named limit of the call scheduler. */
export type Bucket = CallRequest['buckets'][number]

/** Gateway limits of one API for one app in one tenant: 50 a second and 1000 a minute. */
export function apiBucket(appId: string, api: string): Bucket {
  return {
    name: `feishu/${appId}/${api}`,
    limits: [
      { calls: 50, perMs: SECOND_MS },
      { calls: 1_000, perMs: 60_150 },
    ],
  }
}

/** Five messages a second to one chat or person; all bots of the group share it, so 230020 can still come. */
export function chatBucket(chatId: string): Bucket {
  return { name: `feishu/chat/${chatId}`, limits: [{ calls: 5, perMs: SECOND_MS }] }
}

/** Five changes a second of one message. */
export function messageBucket(messageId: string): Bucket {
  return { name: `feishu/message/${messageId}`, limits: [{ calls: 5, perMs: SECOND_MS }] }
}

/** Ten operations a second on one CardKit card, kept apart so that jitter never makes an eleventh. */
export function cardBucket(cardId: string): Bucket {
  return { name: `feishu/card/${cardId}`, limits: [{ calls: 1, perMs: 112 }] }
}
