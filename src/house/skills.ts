/** The operator's skills, from the known folders of the service's own home and those in the configuration. */
import { homedir } from 'node:os'
import { skillFolders } from '../skills/folders.ts'
import { createSkills, type Skills } from '../skills/skills.ts'
import type { HouseOptions } from './house.ts'

export function buildSkills({ config, dataDir, logger }: HouseOptions): Skills {
  return createSkills({ folders: skillFolders(homedir(), config.skills), dataDir, logger })
}
