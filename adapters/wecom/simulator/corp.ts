/** The nouns of a simulated corporation: people, departments, apps, bots, groups. Plain data. */

/** A member of the corp, or with `foreign` a person of another corp seen only through shared chats. */
export interface CorpMember {
  /** Plain userid; a foreign person has an encrypted one (`wo…`). Compared without case, shown as written. */
  userid: string
  name: string
  /** Department ids; the first is the main one unless `mainDepartment` says otherwise. */
  departments: number[]
  mainDepartment?: number
  /** Departments this person leads (`is_leader_in_dept`). */
  leads?: number[]
  directLeaders?: string[]
  position?: string
  /** 1 active, 2 disabled, 4 not activated, 5 left. Default 1. */
  status?: 1 | 2 | 4 | 5
  /** Another corp's id: makes the person foreign. Such a person is in no department and no visible range. */
  foreign?: string
}

export interface CorpDepartment {
  /** 1 is the root. */
  id: number
  name: string
  /** Absent only for the root. */
  parentId?: number
  leaders?: string[]
}

/** Whom an app or bot can see and serve. Departments include all their descendants. */
export interface VisibleRange {
  members?: string[]
  departments?: number[]
}

/** An HTTP address that WeCom posts encrypted callbacks to. */
export interface CallbackAddress {
  url: string
  token: string
  /** 43 characters of `[A-Za-z0-9]`. */
  aesKey: string
}

/** A self-built app (自建应用). */
export interface CorpApp {
  agentId: number
  name: string
  secret: string
  visible: VisibleRange
  /** Listed under 审批 → API → 可调用接口的应用; without it every approval read answers 301055. */
  approvalAccess?: boolean
  /** Source addresses allowed to call with this app's token; absent means any. */
  trustedIps?: string[]
  callback?: CallbackAddress
  /** Receives `sys_approval_change` callbacks. Needs `callback`. */
  approvalEvents?: boolean
  disabled?: boolean
}

/** An AI bot (智能机器人). `secret` makes it a long-connection bot, `callback` a URL bot; never both. */
export interface CorpBot {
  botId: string
  name: string
  secret?: string
  callback?: CallbackAddress
  /** Absent: everyone may use it. */
  visible?: VisibleRange
}

/** A group webhook robot (消息推送), known by its key. */
export interface GroupRobot {
  key: string
  name: string
  disabled?: boolean
}

export interface CorpGroup {
  chatId: string
  name: string
  members: string[]
  /** Bot ids. */
  bots: string[]
  robots?: GroupRobot[]
}

export interface Corp {
  corpId: string
  name: string
  departments: CorpDepartment[]
  members: CorpMember[]
  apps: CorpApp[]
  bots: CorpBot[]
  groups: CorpGroup[]
}

/** The chat key of one person's single chat with an AI bot. A group's chat key is its chatid. */
export const directChat = (botId: string, userid: string): string => `dm:${botId}:${userid}`

/** The chat key of one person's chat with a self-built app. */
export const appChat = (agentId: number, userid: string): string => `app:${agentId}:${userid}`
