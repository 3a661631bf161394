/** What the composers of the house share. */
import type { Approvals } from '../approval/approvals.ts'
import type { Memory } from '../memory/memory.ts'
import type { Models } from '../model/catalogue.ts'
import type { Audit } from '../observability/audit.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { ToolCalls } from '../observability/tool-calls.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { People } from '../people.ts'
import type { Access } from '../policy/access.ts'
import type { Queue } from '../queue/queue.ts'
import type { Input } from '../session/input.ts'
import type { Skills } from '../skills/skills.ts'
import type { ToolCatalogue } from '../tools/catalogue.ts'
import type { HouseOptions } from './house.ts'
import type { HouseMcp } from './mcp.ts'
import type { HouseSchedules } from './schedules.ts'
import type { HouseWorkbench } from './workbench.ts'
import type { Workstation } from './workstation.ts'

export interface HouseParts {
  readonly options: HouseOptions
  readonly access: Access
  readonly audit: Audit
  readonly approvals: Approvals
  readonly queue: Queue
  readonly outbox: Outbox
  readonly input: Input
  readonly models: Models
  readonly tools: ToolCatalogue
  readonly metrics: Metrics
  readonly memory: Memory
  readonly skills: Skills
  readonly people: People
  readonly workstation: Workstation
  readonly toolCalls: ToolCalls
  readonly schedules: HouseSchedules
  readonly workbench: HouseWorkbench
  readonly mcp: HouseMcp
}
