/** Where the tools of a session come from. A new source is a function here and a line in `house.ts`. */
import type { Bots } from '../bots.ts'
import type { Config } from '../config/schema.ts'
import type { Access } from '../policy/access.ts'
import type { Sandbox } from '../protocol/sandbox.ts'
import type { AnyTool } from '../protocol/tool.ts'
import type { ZoneTime } from '../protocol/zone-time.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import { builtinTools } from '../tools/index.ts'
import { createWecomApprovalTools } from '../tools/wecom/index.ts'

/** The tools that every session has. */
export function builtinSource(sandbox: Sandbox): ToolSource {
  const all = builtinTools()
  return {
    tools: () => all,
    problem: (tool) => {
      const { kind, reason } = sandbox.status()
      return tool.risk === 'command' && kind === 'unavailable' ? reason : undefined
    },
  }
}

/** Approval queries of bots whose company grants them: administrators see all, others what the bot's rule says. */
export function companyApprovalSource(
  configs: Config['bots'],
  bots: Bots,
  { access, zone }: { readonly access: Access; readonly zone: ZoneTime },
): ToolSource {
  const made = new Map<string, readonly AnyTool[]>()
  for (const config of configs) {
    const client = bots.adapter(config.id)?.approvals
    if (!('approvals' in config) || !client) continue
    const { query } = config.approvals
    const others = query === 'everyone' ? 'all' : query === 'own' ? 'own' : 'none'
    made.set(
      config.id,
      createWecomApprovalTools(client, (requester) => (access.isAdmin(requester) ? 'all' : others), zone),
    )
  }
  return { tools: (botId) => made.get(botId) ?? [] }
}
