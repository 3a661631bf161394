/** The page's side of the playground API. */
import type { PlaygroundOutcome, PlaygroundTraffic } from '../../protocol/playground.ts'
import type {
  ActionBody,
  ErrorAnswer,
  McpAnswer,
  MessagesAnswer,
  RunsAnswer,
  StateAnswer,
  StreamEvent,
  TrafficAnswer,
} from '../playground-api.ts'

/** What the server refused. `code` selects the text; an empty code means that it did not answer. */
export class ApiError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export interface Api {
  state(): Promise<StateAnswer>
  messages(platform: string, chat: string): Promise<MessagesAnswer>
  runs(platform: string, chat: string): Promise<RunsAnswer>
  traffic(platform: string): Promise<TrafficAnswer>
  mcp(): Promise<McpAnswer>
  trafficEntry(platform: string, id: string): Promise<PlaygroundTraffic>
  act(body: ActionBody): Promise<PlaygroundOutcome>
  upload(where: { platform: string; chat: string; person: string }, file: File): Promise<PlaygroundOutcome>
  fileUrl(platform: string, fileId: string): string
  /** Opens the event stream; it connects again by itself until the returned function is called. */
  listen(onEvent: (event: StreamEvent) => void, onState: (connected: boolean) => void): () => void
}

const RETRY_MS = 2_000

/** `base` is the API's address relative to the page. */
export function createApi(base = 'api'): Api {
  const get = <T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> =>
    ask<T>(`${base}/${path}?${new URLSearchParams(query)}`)
  return {
    state: () => get('state'),
    messages: (platform, chat) => get('messages', { platform, chat }),
    runs: (platform, chat) => get('runs', { platform, chat }),
    traffic: (platform) => get('traffic', { platform }),
    mcp: () => get('mcp'),
    trafficEntry: (platform, id) => get(`traffic/${encodeURIComponent(platform)}/${encodeURIComponent(id)}`),
    act: (body) =>
      ask(`${base}/actions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    upload: (where, file) =>
      ask(`${base}/uploads?${new URLSearchParams({ ...where, name: file.name })}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: file,
      }),
    fileUrl: (platform, fileId) =>
      `${base}/files/${encodeURIComponent(platform)}/${encodeURIComponent(fileId)}`,
    listen: (onEvent, onState) => {
      let stopped = false
      let source: EventSource
      const open = (): void => {
        source = new EventSource(`${base}/events`)
        source.onmessage = ({ data }: MessageEvent<string>) => onEvent(JSON.parse(data))
        source.onopen = () => onState(true)
        source.onerror = () => {
          onState(false)
          // After an answer that is no stream, such as 503, the browser gives up; we do not.
          if (source.readyState === EventSource.CLOSED && !stopped) setTimeout(open, RETRY_MS)
        }
      }
      open()
      return () => {
        stopped = true
        source.close()
      }
    },
  }
}

async function ask<T>(url: string, init?: RequestInit): Promise<T> {
  const response = await fetch(url, init).catch(() => undefined)
  if (!response) throw new ApiError('network', 'no answer')
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as T
  const { code, message } = isErrorAnswer(body)
    ? body.error
    : { code: 'network', message: response.statusText }
  throw new ApiError(code, message)
}

function isErrorAnswer(body: unknown): body is ErrorAnswer {
  return typeof body === 'object' && body !== null && 'error' in body
}
