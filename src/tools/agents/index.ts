/** Tools that start helpers. They know tasks and teams; running a helper is the engine's. */
import type { AnyTool } from '../../protocol/tool.ts'
import { dispatchAgentTool } from './dispatch-agent.ts'
import { createSpawnTeamTool } from './spawn-team.ts'
import { createTeamBroadcastTool } from './team-broadcast.ts'
import { createTeamCloseTool } from './team-close.ts'
import { createTeamSendTool } from './team-send.ts'
import type { TeamStore } from './team-store.ts'

/** The five tools, in the order the model sees them. */
export function createAgentTools(teams: TeamStore): AnyTool[] {
  return [
    dispatchAgentTool,
    createSpawnTeamTool(teams),
    createTeamBroadcastTool(teams),
    createTeamSendTool(teams),
    createTeamCloseTool(teams),
  ]
}
