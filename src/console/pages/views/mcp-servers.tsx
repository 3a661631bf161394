import type { PlaygroundMcpServer, PlaygroundMcpTool } from '../../../protocol/playground.ts'
import { useStore, useText } from '../context.ts'
import type { TextKey } from '../texts/zh-cn.ts'

/** MCP servers of the service: state, trouble and remedy, tools. What is done to them is said in the chat. */
export function McpServers() {
  const { mcp } = useStore()
  const t = useText()
  if (!mcp.value) return <p class="empty">{t('mcp.loading')}</p>
  const { servers, problems } = mcp.value
  return (
    <div class="mcp">
      {servers.length + problems.length === 0 ? <p class="empty">{t('mcp.none')}</p> : null}
      {problems.map(({ file, problem }) => (
        <p key={file} class="mcp-trouble" role="alert">
          {t('mcp.problem', { file, problem })}
        </p>
      ))}
      <ul>
        {servers
          .toSorted((a, b) => urgency(a) - urgency(b))
          .map((server) => (
            <Server key={server.name} server={server} />
          ))}
      </ul>
    </div>
  )
}

/** Servers for which somebody must do something come first, then those in trouble; the others as they are. */
function urgency({ state, changesCode }: PlaygroundMcpServer): number {
  if (['broken', 'invalid', 'login'].includes(state) || changesCode !== undefined) return 0
  return state === 'waiting' ? 1 : 2
}

function Server({ server }: { readonly server: PlaygroundMcpServer }) {
  const { texts } = useStore()
  const t = useText()
  const advice = texts.find(`mcp.advice.${server.state}`, { origin: server.origin })
  return (
    <li class="mcp-server" aria-label={server.name}>
      <div class="mcp-head">
        <strong>{server.name}</strong>
        <span class={`state ${TONES[server.state] ?? ''}`}>
          {texts.find(`mcp.state.${server.state}`) ?? server.state}
        </span>
        <span class="mcp-count">{t('mcp.count', { count: server.tools.length })}</span>
      </div>
      <code class="mcp-shown">{server.shown}</code>
      <p class="mcp-origin">{t('mcp.origin', { origin: server.origin })}</p>
      {server.why === '' ? null : <p class="mcp-trouble">{server.why}</p>}
      {advice === undefined ? null : <p class="mcp-advice">{advice}</p>}
      {server.changesCode === undefined ? null : <Changes server={server} code={server.changesCode} />}
      <Tools tools={server.tools.filter(({ state }) => state === 'agreed')} />
      {FIXED.has(server.state) ? null : (
        <Deed text={`/mcp restart ${server.name}`} label={t('mcp.restart')} name={server.name} />
      )}
    </li>
  )
}

/** Nothing to connect to. */
const FIXED = new Set(['disabled', 'invalid'])

/** The colours of runs, by what a person has to do. */
const TONES: Readonly<Record<string, string>> = {
  ready: 'done',
  waiting: 'waiting',
  login: 'waiting',
  broken: 'failed',
  invalid: 'failed',
  disabled: 'stopped',
  stopped: 'stopped',
}

/** What a server would change, in its own words, beside the button that agrees to exactly that. */
function Changes({ server, code }: { readonly server: PlaygroundMcpServer; readonly code: string }) {
  const t = useText()
  const changes = server.tools.filter(({ state }) => state !== 'agreed')
  return (
    <section class="mcp-changes">
      <p class="mcp-advice">{t('mcp.changed')}</p>
      {changes.map((tool) => (
        <div key={tool.name} class="mcp-change">
          <ToolName tool={tool} />
          {tool.before === undefined ? null : <Words label="mcp.before" words={tool.before} />}
          <Words label={tool.before === undefined ? 'mcp.offered' : 'mcp.after'} words={tool.words} />
        </div>
      ))}
      <Deed text={`/mcp approve ${server.name} ${code}`} label={t('mcp.approve')} name={server.name} />
    </section>
  )
}

function Words({ label, words }: { readonly label: TextKey; readonly words: string }) {
  const t = useText()
  return (
    <>
      <p class="mcp-label">{t(label)}</p>
      <pre>{words}</pre>
    </>
  )
}

function ToolName({ tool }: { readonly tool: PlaygroundMcpTool }) {
  const t = useText()
  return (
    <span class="mcp-tool-name">
      <code>{tool.name}</code>
      <span class={`state ${tool.state === 'agreed' ? 'done' : 'waiting'}`}>
        {t(`mcp.tool.${tool.state}`)}
      </span>
    </span>
  )
}

function Tools({ tools }: { readonly tools: readonly PlaygroundMcpTool[] }) {
  const t = useText()
  if (tools.length === 0) return null
  return (
    <details class="mcp-tools">
      <summary>{t('mcp.tools', { count: tools.length })}</summary>
      {tools.map((tool) => (
        <details key={tool.name} class="mcp-tool">
          <summary>
            <ToolName tool={tool} />
          </summary>
          <pre>{tool.words}</pre>
        </details>
      ))}
    </details>
  )
}

/** Says a command in the open chat, as the chosen person: the service judges who that is. */
function Deed(props: { readonly text: string; readonly label: string; readonly name: string }) {
  const { say, person, pane } = useStore()
  const t = useText()
  if (!person.value) return null
  return (
    <button
      type="button"
      class="mcp-deed"
      aria-label={`${props.label} ${props.name}`}
      title={t('mcp.says', { name: person.value.name, text: props.text })}
      onClick={() => {
        pane.value = 'chat'
        void say(props.text)
      }}
    >
      {props.label}
    </button>
  )
}
