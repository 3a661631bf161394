/** News about MCP servers, gathered for a moment and told to the administrators as one message. */
import { plainWords } from '../mcp/client/clean-text.ts'
import type { ServerView } from '../mcp/client/servers.ts'
import { troubleText } from '../mcp/client/trouble.ts'
import { createServerWatch, type ServerNews } from '../mcp/client/watch.ts'
import type { Translate } from '../protocol/ports.ts'
import { type AdminNoticeDeps, tellAdmins } from './admin-notice.ts'
import type { HouseOptions } from './house.ts'

interface McpNewsDeps extends AdminNoticeDeps, Pick<HouseOptions, 'clock' | 'random' | 'logger'> {}

/** News within this time become one message: a lost network takes many servers down at once. Milliseconds. */
const GATHER_MS = 2_000
const LINES = 10

/** Called with a server's view whenever it may have changed. */
export function createMcpNews(deps: McpNewsDeps): (view: ServerView) => void {
  const { clock, random, logger } = deps
  let gathered: ServerNews[] = []
  const send = async (): Promise<void> => {
    const news = gathered
    gathered = []
    const markdown = (text: Translate): string => newsText(news, text)
    const chats = await tellAdmins(deps, { key: `mcp-${random.id(8)}`, markdown, group: true })
    if (chats > 0) return
    const servers = news.map(({ server, kind }) => `${server}: ${kind}`)
    logger.warn({ servers }, 'nobody could be told about MCP servers: there is no chat yet')
  }
  const watch = createServerWatch(clock, (news) => {
    gathered.push(news)
    if (gathered.length > 1) return
    clock.after(GATHER_MS, () => {
      send().catch((error: unknown) =>
        logger.error({ error }, 'administrators could not be told about MCP servers'),
      )
    })
  })
  return watch.look
}

function newsText(news: readonly ServerNews[], text: Translate): string {
  const lines = news.slice(0, LINES).map((one) => lineOf(one, text))
  const left = news.length - lines.length
  return [...lines, ...(left > 0 ? [text('mcp.news.more', { count: left })] : [])].join('\n\n')
}

function lineOf(news: ServerNews, text: Translate): string {
  const name = plainWords(news.server)
  switch (news.kind) {
    case 'broken':
    case 'unreachable':
      return text(`mcp.news.${news.kind}`, {
        name,
        why: troubleText(news.trouble, plainWords(news.why), text),
      })
    case 'login':
      return text('mcp.news.login', { name })
    case 'changed':
      return text('mcp.news.changed', { name, tools: news.tools.slice(0, LINES).map(plainWords).join('、') })
    case 'recovered':
      return text('mcp.news.recovered', { name, count: news.tools })
  }
}
