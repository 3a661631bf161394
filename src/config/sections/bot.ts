/** Bots by platform. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { moment, shortId, unsetText, url } from './values.ts'

export const feishuBot = z
  .strictObject({
    id: shortId,
    platform: z.literal('feishu'),
    appId: z.string().regex(/^cli_[0-9a-fA-F]{16}$/, 'an App ID: cli_ and 16 hexadecimal digits'),
    appSecret: z.string().min(1),
    domain: z.union([z.enum(['feishu', 'lark']), url]).default('feishu'),
    transport: z.enum(['websocket', 'webhook']).default('websocket'),
    encryptKey: z.string().min(1).optional(),
    verificationToken: z.string().min(1).optional(),
    /** Also accepted while a secret is being rotated. */
    previousEncryptKey: z.string().min(1).optional(),
    /** From this moment on it is refused; while it is configured without. */
    previousUntil: moment.optional(),
    /** Answer messages that mention @all. */
    answerAll: z.boolean().default(false),
    locale: z.enum(['zh-CN', 'en']).optional(),
  })
  .refine((bot) => bot.transport !== 'webhook' || (bot.encryptKey && bot.verificationToken), {
    message:
      'transport: webhook needs both encryptKey and verificationToken (console: Events & callbacks → Encryption strategy)',
    path: ['encryptKey'],
  })
  .refine((bot) => bot.previousEncryptKey === undefined || bot.transport === 'webhook', {
    message: 'previousEncryptKey is for transport: webhook; a long connection has no Encrypt Key',
    path: ['previousEncryptKey'],
  })
  .refine((bot) => bot.previousUntil === undefined || bot.previousEncryptKey !== undefined, {
    message: 'previousUntil needs previousEncryptKey: the key that is refused from then on',
    path: ['previousUntil'],
  })

const aesKey = z.union([
  z.string().regex(/^[A-Za-z0-9]{43}$/, 'an EncodingAESKey of exactly 43 letters and digits'),
  // A key that opens nothing, for the commands that receive nothing.
  unsetText.transform(() => randomBytes(32).toString('hex').slice(0, 43)),
])

/** Keys of a callback that are being rotated out: taken until the moment, or while they are configured. */
const previousKeys = z.strictObject({
  token: z.string().min(1),
  encodingAesKey: aesKey,
  until: moment.optional(),
})

export const wecomBot = z
  .strictObject({
    id: shortId,
    platform: z.literal('wecom'),
    /** The bot's name in chats; its @mention is stripped from texts. */
    name: z.string().optional(),
    aibot: z
      .union([
        z.strictObject({
          botId: z.string().min(1),
          secret: z.string().min(1),
          wsUrl: z.url().default('wss://openws.work.weixin.qq.com'),
        }),
        z.strictObject({
          token: z.string().min(1),
          encodingAesKey: aesKey,
          previous: previousKeys.optional(),
          botId: z.string().min(1).optional(),
        }),
      ])
      .optional(),
    app: z
      .strictObject({
        corpId: z.string().min(1),
        agentId: z.int(),
        secret: z.string().min(1),
        token: z.string().min(1).optional(),
        encodingAesKey: aesKey.optional(),
        previous: previousKeys.optional(),
        baseUrl: url.default('https://qyapi.weixin.qq.com'),
      })
      .optional(),
    groupRobots: z.record(z.string(), z.string()).default({}),
    streamLimitSeconds: z.int().min(60).max(600).default(360),
    /** How approval cards reach a group: tried in this order, text is always the last way. */
    groupCards: z.enum(['reply', 'all', 'none']).default('reply'),
    imageBytes: z.int().default(2 * 1024 * 1024),
    locale: z.enum(['zh-CN', 'en']).optional(),
    /** Who may query approvals: admins always; `own` lets everyone see their own requests. */
    approvals: z
      .strictObject({
        query: z.enum(['admins', 'own', 'everyone']).default('own'),
      })
      .prefault({}),
  })
  .refine(
    ({ app }) => app?.previous === undefined || (app.token !== undefined && app.encodingAesKey !== undefined),
    {
      message: 'app.previous needs app.token and app.encodingAesKey: the keys that are taken from now on',
      path: ['app', 'previous'],
    },
  )
  .refine((bot) => bot.aibot ?? bot.app ?? Object.keys(bot.groupRobots).length > 0, {
    message: 'a wecom bot needs aibot, app or groupRobots',
  })
