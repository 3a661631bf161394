/** The workbench, and the settings that the rest of the house reads instead of the file. */
import type { Approvals } from '../approval/approvals.ts'
import { createTranslate } from '../locale/index.ts'
import type { Audit } from '../observability/audit.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Access } from '../policy/access.ts'
import type { Address } from '../protocol/address.ts'
import type { Locale, Translate } from '../protocol/ports.ts'
import { isScheduleSession } from '../protocol/schedule.ts'
import { isTaskSession } from '../protocol/workbench.ts'
import type { Queue } from '../queue/queue.ts'
import type { Presence } from '../store/presence.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import { onShelf } from '../tools/shelves.ts'
import { createWorkbenchTools } from '../tools/workbench/index.ts'
import { createSettings, type Settings } from '../workbench/settings/settings.ts'
import { createWorkbench, type Workbench } from '../workbench/workbench.ts'
import type { HouseOptions } from './house.ts'
import type { HouseSchedules } from './schedules.ts'

/** The house's options with the language and the network of the settings in them. */
export function withSettings(
  given: HouseOptions,
  audit: Audit,
): { readonly settings: Settings; readonly options: HouseOptions } {
  const { store, clock, config, bots, sandbox } = given
  const settings = createSettings({ store, clock, audit, config })
  if (!config.workbench.settings) return { settings, options: given }
  const words: Record<Locale, Translate> = { 'zh-CN': createTranslate('zh-CN'), en: createTranslate('en') }
  const localeOf = (botId: string): Locale => settings.language() ?? bots.localeOf(botId)
  const options: HouseOptions = {
    ...given,
    bots: { ...bots, localeOf, text: (botId) => words[localeOf(botId)] },
    sandbox: {
      ...sandbox,
      status: () => {
        const status = sandbox.status()
        const label = settings.networkLabel()
        return label === '' ? status : { ...status, profile: `${status.profile} ${label}` }
      },
      run: (command, signal) =>
        sandbox.run({ ...command, env: { ...settings.networkEnvironment(), ...command.env } }, signal),
    },
  }
  return { settings, options }
}

export interface HouseWorkbench {
  readonly workbench: Workbench
  readonly source: ToolSource
}

/** The workbench; groups that are off give no tools. */
export function buildWorkbench(parts: {
  readonly options: HouseOptions
  readonly settings: Settings
  readonly access: Access
  readonly audit: Audit
  readonly approvals: Approvals
  readonly outbox: Outbox
  readonly presence: Presence
  readonly queue: Queue
  readonly interrupt: (sessionId: string) => void
}): HouseWorkbench {
  const { options } = parts
  const { config, bots } = options
  const workbench = createWorkbench({
    ...options,
    ...parts,
    config: config.workbench,
    network: config.sandbox.network,
    text: bots.text,
    alsoSees: (sessionId) => callerWorkspaces(config.mcp.serve.callers, sessionId),
  })
  const tools = onShelf('workbench', createWorkbenchTools(workbench, config.workbench))
  return { workbench, source: { tools: () => tools } }
}

/** Schedules with tasks beside them: both start runs that no person watches. */
export function withTasks(schedules: HouseSchedules, workbench: () => Workbench): HouseSchedules {
  const { runs } = schedules
  return {
    ...schedules,
    runs: {
      ...runs,
      planOf: async (sessionId, runId) =>
        (await workbench().planOf(sessionId)) ?? runs.planOf(sessionId, runId),
      runEnded: async (sessionId) => {
        await runs.runEnded(sessionId)
        await workbench().runEnded(sessionId)
      },
    },
  }
}

/** Chats that the configuration names for a remote caller; his session ends with his name and has no slash. */
function callerWorkspaces(
  callers: HouseOptions['config']['mcp']['serve']['callers'],
  sessionId: string,
): readonly Pick<Address, 'botId' | 'chatId' | 'threadId'>[] {
  if (isTaskSession(sessionId) || isScheduleSession(sessionId)) return []
  const name = /^[^/]*:([a-z0-9-]+)$/.exec(sessionId)?.[1]
  const caller = callers.find((one) => one.name === name)
  return (caller?.workspaces ?? []).map(({ bot, id, thread }) => ({
    botId: bot,
    chatId: id,
    ...(thread === undefined ? {} : { threadId: thread }),
  }))
}
