/** A scene of the demo model that calls any tool by its name, of ours or of another server. */
import { block, type DemoReply, type Scene, type Step } from './demo-stage.ts'

const SEND_TOOLS = ['feishu_send_file', 'wecom_send_file']

/**
 * "调用 file_info {"path":"report.md"}", "调用 mcp__everything__echo {"message":"hi"}"; a file that comes
 * with the answer is sent on.
 */
export const toolCall: Scene = ({ said, text, offered }) => {
  const words =
    /(?:调用|使用|call|use)\s*(?:工具|the tool)?\s*[`“"]?([a-z][\w-]*)[`”"]?\s*(\{[\s\S]*\})?/i.exec(said)
  const tool = words?.[1]
  if (tool === undefined) return undefined
  // A plain word is a tool only when there is one of that name, or when arguments follow it.
  if (!tool.startsWith('mcp__') && words?.[2] === undefined && !offered(tool)) return undefined
  const args = objectOf(words?.[2])
  const send = offered(...SEND_TOOLS)
  const end = ([output = '']: readonly string[]): DemoReply => ({
    say: text('demo.mcp_done', { tool, result: block(output) }),
  })
  const answer: Step = (results) => {
    const path = /^mcp\/[\w.-]+(?= \()/m.exec(results[0] ?? '')?.[0]
    if (send === undefined || path === undefined) return end(results)
    return { say: text('demo.send', { path }), call: { tool: send, args: { path } } }
  }
  return [() => ({ say: text('demo.mcp', { tool }), call: { tool, args } }), answer, end]
}

function objectOf(json: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // Not JSON: the tool itself says which fields it needs.
    return {}
  }
}
