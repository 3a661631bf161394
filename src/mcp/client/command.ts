/** `/mcp` in a chat: who is connected, what waits for a yes, and the yes. */
import type { Translate } from '../../protocol/ports.ts'
import { plainWords, visible } from './clean-text.ts'
import { rawWords } from './definition.ts'
import type { Link } from './link.ts'
import type { Logins } from './logins.ts'
import { changesCode, readAtOnce } from './pins.ts'
import type { McpServers, ServerView } from './servers.ts'
import { troubleText } from './trouble.ts'

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
const SHOWN_CHARACTERS = 6_000
const DEEDS = ['show', 'approve', 'restart']
const CODE = /^[0-9a-f]{32}$/

/** Resolves to the answer as text of the chat's language; only administrators change something. */
export function createMcpCommand(servers: McpServers, logins: Logins): McpCommand {
  return async (question) => {
    const { args, text, isAdmin } = question
    const [deed, ...words] = args
    if (deed === undefined) return listing(servers, logins, question)
    if (!DEEDS.includes(deed) || words.length === 0) return text('mcp.command.usage')
    if (!isAdmin) return text('mcp.command.refused')
    // A name may hold blanks; a code stands at its end.
    const last = words.at(-1) ?? ''
    const code = deed === 'approve' && words.length > 1 && CODE.test(last) ? last : undefined
    const name = (code === undefined ? words : words.slice(0, -1)).join(' ')
    const link = servers.link(name)
    if (!link) return unknown(name, servers, text)
    if (deed === 'restart') {
      await link.restart()
      return text('mcp.command.restarted', { name })
    }
    return deed === 'show' ? details(link, servers, text) : approve(link, code, servers, question)
  }
}

function unknown(name: string, servers: McpServers, text: Translate): string {
  const known = servers.list().map((one) => plainWords(one.name))
  return text('mcp.command.unknown', { name: plainWords(name), known: known.join('、') })
}

/** Agrees to what was read, and to nothing else: without the code of what is offered now, that is shown. */
async function approve(
  link: Link,
  given: string | undefined,
  servers: McpServers,
  { user, text }: CommandQuestion,
): Promise<string> {
  const { name } = link.entry
  if (link.agreement.changes.length === 0) return text('mcp.command.nothing', { name })
  const tools = given === undefined ? undefined : await link.approve(given, user)
  if (tools !== undefined)
    return text('mcp.command.approved', { name, tools: tools.map((tool) => code(tool)).join(' ') })
  const before = given === undefined ? [] : [text('mcp.command.outdated', { name })]
  return [...before, details(link, servers, text)].join('\n\n')
}

function listing(servers: McpServers, logins: Logins, { text, isAdmin, isDirect }: CommandQuestion): string {
  const views = servers.list()
  const lines = views.flatMap((view) => [
    `- **${plainWords(view.name)}** ${text(`mcp.state.${view.state}`)} · ${text('mcp.command.tools', { count: view.tools.length })}`,
    // Start commands and addresses are the operator's affair.
    ...(isAdmin ? [`  ${code(view.shown)} (${plainWords(view.origin)})`] : []),
    ...(view.why === '' ? [] : [`  ⚠ ${troubleText(view.trouble, plainWords(view.why), text)}`]),
    ...(view.state === 'login' ? [`  → ${loginHint(view, logins, isAdmin && isDirect, text)}`] : []),
    ...(view.state === 'broken' ? [`  → ${text('mcp.command.broken', { name: view.name })}`] : []),
    ...(view.waiting.length === 0
      ? []
      : [`  → ${text('mcp.command.waiting', { name: view.name, tools: view.waiting.map(code).join(' ') })}`]),
  ])
  const problems = servers
    .problems()
    .map(({ file, problem }) => `- ⚠ ${plainWords(file)}: ${plainWords(problem)}`)
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
  const { agreed, changes } = link.agreement
  const raw = [
    ...readAtOnce(changes).flatMap(({ before, offered }) => [
      ...(before ? [{ mark: text('mcp.command.before'), definition: before }] : []),
      { mark: text('mcp.command.offered'), definition: offered },
    ]),
    ...agreed.map((one) => ({ mark: text('mcp.command.agreed'), definition: one.definition })),
  ].slice(0, SHOWN_TOOLS)
  const blocks = raw.map(({ mark, definition }) => {
    const words = rawWords(definition).replaceAll('```', "'''")
    const left = words.length - SHOWN_CHARACTERS
    const cut = left > 0 ? [text('mcp.command.cut', { left })] : []
    const shown = words.slice(0, SHOWN_CHARACTERS).toWellFormed()
    return [`**${plainWords(definition.name)}** ${mark}\n\`\`\`\n${shown}\n\`\`\``, ...cut].join('\n')
  })
  const name = plainWords(link.entry.name)
  const last = changes.length === 0 ? [] : [text('mcp.command.agree', { name, code: changesCode(changes) })]
  return [`**${name}** ${code(view?.shown ?? '')}`, ...blocks, ...last].join('\n\n')
}

function code(text: string): string {
  return `\`${visible(text).replace(/[\n`]/g, ' ')}\``
}
