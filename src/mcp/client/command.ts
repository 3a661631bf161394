/** `/mcp` in a chat: who is connected, what waits for a yes, and the yes. */
import type { Translate } from '../../protocol/ports.ts'
import { visible } from './clean-text.ts'
import type { Link } from './link.ts'
import type { Logins } from './logins.ts'
import type { McpServers, ServerView } from './servers.ts'

export interface CommandQuestion {
  readonly args: readonly string[]
  /** User key of the person. */
  readonly user: string
  readonly isAdmin: boolean
  /** Nobody else reads the answer. */
  readonly isDirect: boolean
  readonly text: Translate
}

/** Answers with markdown. Changes nothing unless an administrator says so by name. */
export type McpCommand = (question: CommandQuestion) => Promise<string>

const SHOWN_TOOLS = 30

export function createMcpCommand(servers: McpServers, logins: Logins): McpCommand {
  return async (question) => {
    const { args, text, isAdmin } = question
    const [deed, name] = args
    if (deed === undefined) return listing(servers, logins, question)
    if (!['show', 'approve', 'restart'].includes(deed) || name === undefined) return text('mcp.command.usage')
    if (!isAdmin) return text('mcp.command.refused')
    const link = servers.link(name)
    if (!link)
      return text('mcp.command.unknown', {
        name,
        known: servers
          .list()
          .map((one) => one.name)
          .join('、'),
      })
    if (deed === 'show') return details(link, servers, text)
    if (deed === 'restart') {
      await link.restart()
      return text('mcp.command.restarted', { name })
    }
    const tools = await link.approve(question.user)
    return tools.length === 0
      ? text('mcp.command.nothing', { name })
      : text('mcp.command.approved', { name, tools: tools.map(code).join(' ') })
  }
}

function listing(servers: McpServers, logins: Logins, { text, isAdmin, isDirect }: CommandQuestion): string {
  const views = servers.list()
  const lines = views.flatMap((view) => [
    `- **${plain(view.name)}** ${text(`mcp.state.${view.state}`)} · ${text('mcp.command.tools', { count: view.tools.length })}`,
    // Start commands and addresses are the operator's affair.
    ...(isAdmin ? [`  ${code(view.shown)} (${plain(view.origin)})`] : []),
    ...(view.why === '' ? [] : [`  ⚠ ${plain(view.why)}`]),
    ...(view.state === 'login' ? [`  → ${loginHint(view, logins, isAdmin && isDirect, text)}`] : []),
    ...(view.state === 'broken' ? [`  → ${text('mcp.command.broken', { name: view.name })}`] : []),
    ...(view.waiting.length === 0
      ? []
      : [`  → ${text('mcp.command.waiting', { name: view.name, tools: view.waiting.map(code).join(' ') })}`]),
  ])
  const problems = servers.problems().map(({ file, problem }) => `- ⚠ ${plain(file)}: ${plain(problem)}`)
  if (lines.length + problems.length === 0) return text('mcp.command.none')
  return [text('mcp.command.list', { count: views.length }), ...lines, ...(isAdmin ? problems : [])].join(
    '\n',
  )
}

function loginHint(view: ServerView, logins: Logins, mayLogIn: boolean, text: Translate): string {
  const url = logins.addressOf(view.name)
  if (!mayLogIn) return text('mcp.command.login_elsewhere')
  return url === undefined
    ? text('mcp.command.login_late', { name: view.name })
    : text('mcp.command.login', { url })
}

/** The raw words of a server, as an administrator must see them before he agrees (M1). */
function details(link: Link, servers: McpServers, text: Translate): string {
  const view = servers.list().find((one) => one.name === link.entry.name)
  const { agreed, offered } = link.agreement
  const raw = [
    ...offered.map((one) => ({ mark: text('mcp.command.offered'), definition: one })),
    ...agreed.map((one) => ({ mark: text('mcp.command.agreed'), definition: one.definition })),
  ].slice(0, SHOWN_TOOLS)
  const blocks = raw.map(({ mark, definition }) => {
    const { name, description, inputSchema } = definition
    return `**${plain(name)}** ${mark}\n\`\`\`\n${escaped(JSON.stringify({ description, inputSchema }, null, 1))}\n\`\`\``
  })
  return [`**${plain(link.entry.name)}** ${code(view?.shown ?? '')}`, ...blocks].join('\n\n')
}

function plain(text: string): string {
  return visible(text).replace(/[\n`*_[\]<>|]/g, ' ')
}

function code(text: string): string {
  return `\`${visible(text).replace(/[\n`]/g, ' ')}\``
}

/** Hidden characters as numbers, and no way out of the code block. */
function escaped(text: string): string {
  return [...text]
    .map((char) => (visible(char) === char ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`))
    .join('')
    .replaceAll('```', "'''")
}
