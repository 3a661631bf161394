/** A town: a company on each platform, a scripted model, an MCP server, and one configuration for all of them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../../src/system/clock.ts'
import type { Company } from '../e2e/support/company.ts'
import { startEndpoint } from '../e2e/support/endpoint.ts'
import { openFeishuCompany } from '../e2e/support/feishu-company.ts'
import { openWecomCompany } from '../e2e/support/wecom-company.ts'
import { type Ledger, startLedger } from './ledger.ts'
import { replyTo, type ScriptPace } from './script.ts'

export interface Place {
  readonly company: Company
  readonly chatId: string
}

export interface Town {
  readonly config: string
  readonly dataDir: string
  /** Groups in which people talk. */
  readonly places: readonly Place[]
  /** Groups into which only schedules write. */
  readonly boards: readonly Place[]
  readonly ledger: Ledger
  /** Requests at the model so far. */
  modelRequests(): number
  /** Stops everything; removes the folder unless it is evidence. */
  stop(keepFolder?: boolean): Promise<void>
}

export interface TownOptions {
  /** Groups with talking people on each platform. */
  readonly groups: number
  readonly pace: ScriptPace
}

export async function openTown(options: TownOptions): Promise<Town> {
  const clock = createSystemClock()
  const companies = [
    await openFeishuCompany(clock),
    await openWecomCompany(clock, { bot: 'groupCards: all' }),
  ]
  const ledger = await startLedger()
  let requests = 0
  const endpoint = await startEndpoint('openai', (turn) => {
    requests++
    // The requests themselves are not kept: a soak would only measure this list.
    endpoint.forget()
    return replyTo(turn, options.pace)
  })
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-town-'))
  const dataDir = join(folder, 'data')
  const config = join(folder, 'yizhan.yaml')
  mkdirSync(dataDir)
  const places = companies.flatMap((company) =>
    Array.from({ length: options.groups }, (_, index) => placeIn(company, `第${index + 1}组`)),
  )
  const boards = companies.map((company) => placeIn(company, '公告板'))
  writeFileSync(config, townYaml({ companies, boards, dataDir, models: endpoint.yaml, ledger }))
  return {
    ...{ config, dataDir, places, boards, ledger },
    modelRequests: () => requests,
    stop: async (keepFolder = false) => {
      await endpoint.stop()
      await ledger.stop()
      for (const company of companies) await company.stop()
      if (!keepFolder) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function placeIn(company: Company, name: string): Place {
  return { company, chatId: company.addGroup(name, Object.values(company.people)) }
}

function townYaml(parts: {
  companies: readonly Company[]
  boards: readonly Place[]
  dataDir: string
  models: string
  ledger: Ledger
}): string {
  const bots = parts.companies.map(
    ({ platform, botYaml }) => `  - ${botYaml.replace('id: ops', `id: ${platform}`)}`,
  )
  const schedules = parts.boards.map(
    ({ company, chatId }, index) =>
      `  - { id: board-${company.platform}, cron: "* * * * *", to: { bot: ${company.platform}, chat: "${chatId}" }, owner: "${company.people.admin.key}", ${index === 0 ? 'prompt: 按时报到' : 'report: approvals_waiting'} }`,
  )
  return `
server: { port: 0 }
dataDir: ${parts.dataDir}
log: { level: warn }
bots:
${bots.join('\n')}
access: { admins: [${parts.companies.map(({ people }) => `"${people.admin.key}"`).join(', ')}] }
${parts.models}
mcp: { servers: { ledger: { url: "${parts.ledger.url}" } } }
schedules:
${schedules.join('\n')}
`
}
