/** Builds what runs use: input, models, memory, skills, MCP servers, programs, and the catalogue of all tools. */

import type { Memory } from '../memory/memory.ts'
import { createModels, type Models } from '../model/catalogue.ts'
import type { ToolCalls } from '../observability/tool-calls.ts'
import { createInput, type Input } from '../session/input.ts'
import type { Skills } from '../skills/skills.ts'
import { createToolCatalogue, type ToolCatalogue } from '../tools/catalogue.ts'
import { agentSource } from './agents.ts'
import { buildBrowser } from './browser.ts'
import { buildDesktop } from './desktop.ts'
import { withModelFaults } from './faults.ts'
import { buildMcp, type HouseMcp } from './mcp.ts'
import { buildMemory } from './memory.ts'
import type { Messaging } from './messaging.ts'
import type { HouseSchedules } from './schedules.ts'
import type { SharedParts } from './shared-parts.ts'
import { buildSkills } from './skills.ts'
import { buildToolCalls } from './tool-calls.ts'
import type { ToolModule } from './tool-module.ts'
import { builtinSource, companyApprovalSource } from './tools.ts'
import { buildVideo } from './video.ts'
import { buildWorkbench, type HouseWorkbench } from './workbench.ts'
import { buildWorkstation, type Workstation } from './workstation.ts'

export interface RunResources {
  readonly input: Input
  readonly models: Models
  readonly memory: Memory
  readonly skills: Skills
  readonly mcp: HouseMcp
  readonly workstation: Workstation
  readonly workbench: HouseWorkbench
  readonly toolCalls: ToolCalls
  readonly modules: readonly ToolModule[]
  readonly tools: ToolCatalogue
}

export interface RunResourcesNeeds extends SharedParts, Messaging {
  readonly schedules: HouseSchedules
  readonly interrupt: (sessionId: string) => void
}

export function buildRunResources(needs: RunResourcesNeeds): RunResources {
  const { options, settings, access, audit, approvals, outbox, queue, presence, metrics, interrupt, zone } =
    needs
  const memory = buildMemory({ options, metrics })
  const skills = buildSkills(options)
  const mcp = buildMcp(options, approvals, outbox)
  const workstation = buildWorkstation(options, queue)
  const workbench = buildWorkbench({
    ...{ options, settings, access, audit, approvals, outbox, queue, presence, interrupt },
  })
  const toolCalls = buildToolCalls({ options, audit, outbox, metrics })
  const modules = [buildBrowser(options), buildDesktop(options), buildVideo(options, outbox)]
  const tools = createToolCatalogue([
    builtinSource(options.sandbox),
    companyApprovalSource(options.config.bots, options.bots, { access, zone }),
    needs.schedules.source,
    agentSource(options, memory, skills),
    workstation.source,
    mcp.source,
    ...modules.map((module) => module.source),
    workbench.source,
  ])
  return {
    ...{ input: buildInput(needs), models: buildModels(needs), memory, skills, mcp, workstation },
    ...{ workbench, toolCalls, modules, tools },
  }
}

function buildInput({ options }: SharedParts): Input {
  const { store, clock, random, logger, bots, dataDir, config } = options
  return createInput({
    ...{ store, clock, random, logger, adapter: bots.adapter, dataDir, text: bots.text },
    maxFileBytes: config.limits.inboundFileMb * 1024 * 1024,
  })
}

function buildModels({ options, settings, zone }: SharedParts): Models {
  const { clock, random, bots, demoPieceMs, faults } = options
  const pace = demoPieceMs === undefined ? {} : { demoPieceMs }
  return withModelFaults(
    createModels(settings.models, { clock, random, zone, localeOf: bots.localeOf, ...pace }),
    faults,
  )
}
