import { z } from 'zod'

/** The field that names a team, the same in every tool. */
export const teamId = z
  .string()
  .min(1)
  .max(100)
  .describe('The team_id that spawn_team returned in this chat.')
  .meta({ examples: ['team-mfrggzdfmztwq2lk'] })
