/** Read-only view of the MCP servers for the playground page: states, tool definitions and pending changes. */
import { type Definition, rawWords } from '../mcp/client/definition.ts'
import { changesCode, readAtOnce } from '../mcp/client/pins.ts'
import type { McpServers, ServerView } from '../mcp/client/servers.ts'
import { troubleText } from '../mcp/client/trouble.ts'
import type { PlaygroundMcp, PlaygroundMcpServer } from '../protocol/playground.ts'
import type { Translate } from '../protocol/ports.ts'

/** Longest definition text on the page, characters; `/mcp show` has the whole. */
const WORDS = 4_000

export function mcpPage(
  servers: Pick<McpServers, 'list' | 'problems' | 'onChange'>,
  text: Translate,
): PlaygroundMcp {
  return {
    list: () => servers.list().map((view) => pageServer(view, text)),
    problems: servers.problems,
    onChange: (listener) => servers.onChange(() => listener()),
  }
}

function pageServer(view: ServerView, text: Translate): PlaygroundMcpServer {
  const { name, origin, shown, state, changes } = view
  const why = troubleText(view.trouble, view.why, text)
  const waiting = readAtOnce(changes).map(({ tool, before, offered }) => ({
    ...{ name: tool, state: before ? ('changed' as const) : ('new' as const), words: wordsOf(offered) },
    ...(before ? { before: wordsOf(before) } : {}),
  }))
  const agreed = [...view.definitions].map(([tool, definition]) => ({
    ...{ name: tool, state: 'agreed' as const, words: wordsOf(definition) },
  }))
  return {
    ...{ name, origin, shown, state, why },
    tools: [...waiting, ...agreed],
    ...(changes.length === 0 ? {} : { changesCode: changesCode(changes) }),
  }
}

function wordsOf(definition: Definition): string {
  const words = rawWords(definition)
  return words.length <= WORDS
    ? words
    : `${words.slice(0, WORDS).toWellFormed()} … (+${words.length - WORDS})`
}
