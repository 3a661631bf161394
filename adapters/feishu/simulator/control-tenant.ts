/** What an administrator can tell the simulator. */

/** An app as its administrator sets it up. */
export interface AppOptions {
  readonly name?: string
  /** `cli_` + 16 hex digits; absent makes a new one. Use one per test: the SDK caches tokens by it. */
  readonly appId?: string
  readonly appSecret?: string
  readonly tenantKey?: string
  /** Granted scopes; absent grants {@link defaultScopes}. */
  readonly scopes?: readonly string[]
  /** Bot ability; default true. */
  readonly bot?: boolean
  /** A version was published and approved; default true. Without one, events and callbacks are inert. */
  readonly published?: boolean
  readonly eventMode?: 'ws' | 'webhook'
  /** `none` is the forgotten "callback" tab: every click shows 200340. Default: same as `eventMode`. */
  readonly callbackMode?: 'ws' | 'webhook' | 'none'
  /** Request address of events. */
  readonly webhookUrl?: string
  /** Request address of card callbacks; default `webhookUrl`. */
  readonly callbackUrl?: string
  readonly encryptKey?: string
  /** Default: a random one. */
  readonly verificationToken?: string
  /** Users who may use the app; others give 230013. Default everyone of the tenant. */
  readonly availability?: 'all' | readonly string[]
  /** Addresses that may call the API; empty allows all, anything else without 127.0.0.1 gives 99991401. */
  readonly ipAllowList?: readonly string[]
  /** Subscribed event types; default all that the simulator can send. */
  readonly events?: readonly string[]
}

/** What the console shows about an app. */
export interface AppInfo {
  readonly appId: string
  readonly appSecret: string
  readonly name: string
  readonly tenantKey: string
  /** The bot's own open_id as this app sees it. */
  readonly botOpenId: string
  readonly verificationToken: string
  readonly encryptKey?: string
}

/** A person to be made. */
export interface UserOptions {
  readonly name: string
  /** Absent: the tenant that exists from the beginning. */
  readonly tenantKey?: string
  /** `user_id` of the tenant; absent makes a new one. */
  readonly userId?: string
  readonly email?: string
  readonly mobile?: string
  readonly departments?: readonly string[]
  readonly resigned?: boolean
}

/** Somebody of a tenant, under the ids that apps may see. */
export interface UserInfo {
  /** The tenant's `user_id`. Every control call names a user by it. */
  readonly userId: string
  readonly unionId: string
  readonly name: string
  readonly tenantKey: string
}

/** A group to be made. */
export interface ChatOptions {
  readonly name?: string
  /** `topic` is a group whose messages are all topics. Direct chats come from {@link TenantControl.openDirect}. */
  readonly mode?: 'group' | 'topic'
  /** user ids */
  readonly members: readonly string[]
  /** app ids */
  readonly bots?: readonly string[]
  /** user id; default the first member. */
  readonly owner?: string
  /** Whether anybody may @all; default true. */
  readonly atAllAllowed?: boolean
  /** Whether replies may open topics; default true, else 230071. */
  readonly topicsAllowed?: boolean
  /** Muted for bots: sending gives 230018. Default false. */
  readonly muted?: boolean
  /** "Restricted mode": resources cannot be downloaded (234038). Default false. */
  readonly restricted?: boolean
}

/** What an administrator does. */
export interface TenantControl {
  /** Makes another tenant (company) and returns its key. */
  createTenant(name: string): string
  /** Makes an app and publishes it as told. */
  createApp(options?: AppOptions): AppInfo
  /** Changes an app as its administrator would. Unset fields stay. */
  updateApp(appId: string, change: Partial<Omit<AppOptions, 'appId' | 'tenantKey'>>): AppInfo
  createUser(options: UserOptions): UserInfo
  createDepartment(name: string): string
  /** Returns the chat id (`oc_…`). Bots hear of it by `im.chat.member.bot.added_v1`. */
  createChat(options: ChatOptions): string
  updateChat(chatId: string, change: Partial<Omit<ChatOptions, 'members' | 'bots' | 'mode'>>): void
  /** The direct chat of a user with a bot, made when absent. */
  openDirect(userId: string, appId: string): string
  addMember(chatId: string, userId: string): void
  removeMember(chatId: string, userId: string): void
  addBot(chatId: string, appId: string, operatorId?: string): void
  removeBot(chatId: string, appId: string, operatorId?: string): void
  disband(chatId: string, operatorId?: string): void
  /** `ou_…` of a user (or of another bot, by its app id) as one app sees it. */
  openId(id: string, appId: string): string
  /** user id behind an open_id of any app, or undefined. */
  userOf(openId: string): string | undefined
  /** Saves the request address as the console does: sends `url_verification`, at most 1 s. */
  verifyWebhook(appId: string, which?: 'event' | 'callback'): Promise<{ ok: boolean; reason: string }>
  /** Live sockets of an app. */
  connections(appId: string): number
  /** Makes every token of the app invalid now; the next token request gives a new one. */
  revokeTokens(appId: string): void
  /** From now on (or no longer) every token of this app is refused with 99991663. */
  refuseTokens(appId: string, refused: boolean): void
}
