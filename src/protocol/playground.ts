/**
 * What the playground page shows and does, for any simulated platform. A platform's own file turns
 * its native messages into these; the page never sees a platform's JSON but in the traffic pane.
 */

/** Somebody in a simulated company, or a bot. */
export interface PlaygroundPerson {
  /** The platform's own id. */
  readonly id: string
  readonly name: string
  readonly role: 'member' | 'admin' | 'bot'
}

/** A chat of a simulated platform. */
export interface PlaygroundChat {
  /** Unique within the platform. */
  readonly id: string
  readonly title: string
  readonly kind: 'group' | 'direct'
  /** Id of our bot in `yizhan.yaml`; with `id` it makes the chat's key. */
  readonly botId: string
  /** People and bots, people first. */
  readonly members: readonly PlaygroundPerson[]
  /** True when nobody can write there any more. */
  readonly closed: boolean
}

/** A file in a message, downloaded through the page by its id. */
export interface PlaygroundFile {
  readonly id: string
  readonly name: string
  readonly bytes: number
}

/** Colours of card headers and labels. */
export type PlaygroundColor =
  | 'blue'
  | 'green'
  | 'red'
  | 'orange'
  | 'yellow'
  | 'purple'
  | 'turquoise'
  | 'grey'
  | 'none'

/** A button of a card. */
export interface PlaygroundButton {
  /** What {@link PlaygroundAction} `press` names; unique within the message. */
  readonly id: string
  readonly text: string
  readonly style: 'primary' | 'danger' | 'default'
  readonly disabled: boolean
  /** Opened instead of pressed; only http and https are ever followed. */
  readonly url?: string
}

/** One part of a card's body. */
export type PlaygroundBlock =
  | { readonly type: 'markdown'; readonly text: string }
  | { readonly type: 'plain'; readonly text: string }
  /** Small grey text. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'code'; readonly text: string; readonly language?: string }
  | { readonly type: 'fields'; readonly fields: readonly { readonly name: string; readonly value: string }[] }
  | {
      readonly type: 'table'
      readonly columns: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | { readonly type: 'image'; readonly file: PlaygroundFile; readonly alt: string }
  | { readonly type: 'divider' }
  | {
      readonly type: 'panel'
      readonly title: string
      readonly open: boolean
      readonly blocks: readonly PlaygroundBlock[]
    }
  | {
      readonly type: 'columns'
      readonly columns: readonly { readonly weight: number; readonly blocks: readonly PlaygroundBlock[] }[]
    }
  | { readonly type: 'buttons'; readonly buttons: readonly PlaygroundButton[] }
  | {
      readonly type: 'select'
      readonly name: string
      readonly label: string
      readonly options: readonly { readonly value: string; readonly text: string }[]
      readonly initial: string
      readonly disabled: boolean
    }
  | {
      readonly type: 'input'
      readonly name: string
      readonly label: string
      readonly placeholder: string
      readonly initial: string
      readonly multiline: boolean
      readonly disabled: boolean
    }

/** A card as its platform's client would show it. */
export interface PlaygroundCard {
  readonly header?: {
    readonly title: string
    readonly subtitle?: string
    readonly color: PlaygroundColor
    readonly tags: readonly { readonly text: string; readonly color: PlaygroundColor }[]
  }
  readonly blocks: readonly PlaygroundBlock[]
}

/** What a message holds. */
export type PlaygroundContent =
  /** Literal text; mentions stand in it as `@Name`. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'markdown'; readonly text: string }
  | { readonly type: 'card'; readonly card: PlaygroundCard }
  | { readonly type: 'image' | 'file' | 'audio' | 'video'; readonly file: PlaygroundFile }
  /** Said by the platform itself, or something that cannot be shown. */
  | { readonly type: 'notice'; readonly text: string }

/** A message as it looks now. */
export interface PlaygroundMessage {
  readonly id: string
  readonly chatId: string
  readonly from: PlaygroundPerson
  readonly content: PlaygroundContent
  /** True while the platform still types it. */
  readonly streaming: boolean
  readonly recalled: boolean
  readonly edited: boolean
  readonly quote?: { readonly messageId: string; readonly from: string; readonly text: string }
  /** Names of the people mentioned, as they stand behind `@` in the text. */
  readonly mentions: readonly string[]
  readonly reactions: readonly { readonly emoji: string; readonly by: readonly string[] }[]
  /** Milliseconds. */
  readonly sentAt: number
}

/** One line of what went over the wire between the platform and us. */
export interface PlaygroundTraffic {
  readonly id: string
  /** `in`: from the platform to us; `out`: a call of ours; `link`: sockets coming and going. */
  readonly direction: 'in' | 'out' | 'link'
  readonly at: number
  /** `POST /open-apis/im/v1/messages`, `im.message.receive_v1`. */
  readonly title: string
  /** Status or outcome in one word. */
  readonly outcome: string
  readonly ok: boolean
  /** The raw JSON of request and answer, secrets replaced. */
  readonly detail: unknown
}

/** A piece of typed text: plain, or a mention of the person with that id. */
export type PlaygroundTextPart = string | { readonly at: string }

/** What a person does. Ids are the platform's own. */
export type PlaygroundAction =
  | {
      readonly type: 'send'
      readonly chatId: string
      readonly personId: string
      readonly text: readonly PlaygroundTextPart[]
      /** Id of the message that is quoted. */
      readonly quote?: string
    }
  | {
      readonly type: 'upload'
      readonly chatId: string
      readonly personId: string
      readonly name: string
      readonly bytes: Uint8Array
    }
  | {
      readonly type: 'press'
      readonly chatId: string
      readonly personId: string
      readonly messageId: string
      readonly buttonId: string
      /** Inputs and choices of the whole card, by name. */
      readonly form: Readonly<Record<string, string>>
    }
  | {
      readonly type: 'recall'
      readonly chatId: string
      readonly personId: string
      readonly messageId: string
    }
  /** Opens the person's direct chat with the bot of a chat. */
  | { readonly type: 'direct'; readonly chatId: string; readonly personId: string }

/** What an action led to. */
export interface PlaygroundOutcome {
  /** The message that was made. */
  readonly messageId?: string
  /** The chat that was opened. */
  readonly chatId?: string
  /** What the platform's client would show after a press. */
  readonly toast?: { readonly tone: 'info' | 'success' | 'warning' | 'error'; readonly text: string }
}

/** What changed; the page then reads it again. */
export type PlaygroundChange =
  | { readonly type: 'message'; readonly message: PlaygroundMessage }
  /** Chats or members are not what they were. */
  | { readonly type: 'chats' }
  /** Something went over the wire. */
  | { readonly type: 'traffic' }

/** A simulated platform, seen by the page. All reads are synchronous and cheap. */
export interface PlaygroundBackend {
  /** `feishu`, `wecom`. */
  readonly platform: string
  chats(): readonly PlaygroundChat[]
  /** Oldest first, as they look now. */
  messages(chatId: string): readonly PlaygroundMessage[]
  /** Rejects with an `AppError` `playground.*` when the person could not do that on the platform. */
  act(action: PlaygroundAction): Promise<PlaygroundOutcome>
  file(fileId: string): { readonly name: string; readonly bytes: Uint8Array } | undefined
  /** Oldest first; at least the last 200. */
  traffic(): readonly PlaygroundTraffic[]
  onChange(listener: (change: PlaygroundChange) => void): () => void
}

/** One run of the agent, for the steps pane. */
export interface PlaygroundRun {
  readonly id: string
  readonly state: 'running' | 'waiting' | 'done' | 'failed' | 'stopped'
  readonly startedAt: number
  readonly endedAt?: number
  readonly model?: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly cost?: number
  readonly currency?: string
  /** Why it failed or stopped, or what it waits for. */
  readonly reason?: string
  readonly steps: readonly {
    readonly callId: string
    readonly tool: string
    readonly title: string
    readonly status: 'running' | 'ok' | 'failed' | 'denied' | 'waiting'
    readonly ms?: number
  }[]
}

/** An MCP server of the service, for the list in the page. */
export interface PlaygroundMcpServer {
  readonly name: string
  /** File that it comes from, and the exact command or address. */
  readonly origin: string
  readonly shown: string
  readonly state: string
  /** Why it is not ready; empty when it is. */
  readonly why: string
  readonly tools: readonly PlaygroundMcpTool[]
  /** Names the changes that wait, as `/mcp approve` takes it; absent when none waits. */
  readonly changesCode?: string
}

/** A tool of an MCP server: in use as it was agreed to, or off until an administrator agrees. */
export interface PlaygroundMcpTool {
  /** The model's name of a tool in use, its server's own name of one that waits. */
  readonly name: string
  readonly state: 'agreed' | 'changed' | 'new'
  /** What its server says about it, exactly, hidden characters as numbers. */
  readonly words: string
  /** What was agreed to before, of a changed one. */
  readonly before?: string
}

/** MCP servers of the service as the page sees them. */
export interface PlaygroundMcp {
  list(): readonly PlaygroundMcpServer[]
  /** Files with servers that cannot be read, and why. */
  problems(): readonly { readonly file: string; readonly problem: string }[]
  /** Called when something in the list is not what it was; the result ends it. */
  onChange(listener: () => void): () => void
}

/** Platforms that run inside this process for people without a tenant. */
export interface SimulatedTenants {
  /** Bots as `yizhan.yaml` would describe them, pointing at the simulators. */
  readonly bots: readonly unknown[]
  /** People who may approve, as user keys. */
  readonly admins: readonly string[]
  readonly backends: readonly PlaygroundBackend[]
  /**
   * Adds the bots to the groups, now that they are connected: one that is away would hear of it only at the
   * platform's next try, seconds later. They greet a moment after this.
   */
  invite(): void
  stop(): Promise<void>
}
