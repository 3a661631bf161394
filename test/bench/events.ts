/** Signed and encrypted events of Feishu's documented shape, each unique, as ready HTTP requests. */
import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto'

export interface EventKeys {
  readonly appId: string
  readonly encryptKey: string
  readonly verificationToken: string
  readonly botOpenId: string
}

/** A message that somebody wrote, by its ids on the platform. */
export interface Spoken {
  readonly chatId: string
  readonly messageId: string
  /** Of the writer, as the app sees it. */
  readonly openId: string
}

export interface EventOptions {
  /** Made-up messages are spread over this many groups. */
  readonly chats: number
}

/** `count` requests for `path` on a loopback port, keep-alive; messages that nobody answers. */
export function makeRequests(
  keys: EventKeys,
  path: string,
  port: number,
  count: number,
  { chats }: EventOptions,
): Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    makeRequest(keys, path, port, {
      chatId: `oc_${String(index % chats).padStart(32, '5ce6d572455d361153b7cb51da133945')}`,
      messageId: `om_${randomUUID().replaceAll('-', '')}`,
      openId: 'ou_84aad35d084aa403a838cf73ee18467',
      text: `请看一下第 ${index} 号构建为什么失败，写一份摘要 please check the build and post a summary`,
    }),
  )
}

/** The request that tells of one message. */
export function makeRequest(
  keys: EventKeys,
  path: string,
  port: number,
  said: Spoken & { readonly text: string },
): Buffer {
  const key = createHash('sha256').update(keys.encryptKey).digest()
  const body = JSON.stringify({ encrypt: encrypt(key, JSON.stringify(messageEvent(keys, said))) })
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const nonce = randomBytes(8).toString('hex')
  const signature = createHash('sha256')
    .update(timestamp + nonce + keys.encryptKey)
    .update(body)
    .digest('hex')
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: keep-alive\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `x-lark-request-timestamp: ${timestamp}\r\nx-lark-request-nonce: ${nonce}\r\nx-lark-signature: ${signature}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function messageEvent(keys: EventKeys, said: Spoken & { readonly text: string }): object {
  const now = String(Date.now())
  return {
    schema: '2.0',
    header: {
      event_id: randomUUID().replaceAll('-', ''),
      token: keys.verificationToken,
      create_time: now,
      event_type: 'im.message.receive_v1',
      tenant_key: '736588c9260f175d',
      app_id: keys.appId,
    },
    event: {
      sender: {
        sender_id: {
          union_id: 'on_8ed6aa67826108097d9ee143816345',
          user_id: 'e33ggbyz',
          open_id: said.openId,
        },
        sender_type: 'user',
        tenant_key: '736588c9260f175d',
      },
      message: {
        message_id: said.messageId,
        create_time: now,
        update_time: now,
        chat_id: said.chatId,
        chat_type: 'group',
        message_type: 'text',
        content: JSON.stringify({ text: `@_user_1 ${said.text}` }),
        mentions: [
          {
            key: '@_user_1',
            id: { union_id: 'on_bot', user_id: '', open_id: keys.botOpenId },
            name: '驿站',
            tenant_key: '736588c9260f175d',
          },
        ],
        user_agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Lark/7.33',
      },
    },
  }
}

function encrypt(key: Buffer, text: string): string {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64')
}
