/** The operator's skills, from the known folders of the service's own home and those in the configuration. */
import { homedir } from 'node:os'
import { skillFolders } from '../skills/folders.ts'
import { createSkills, type Skills } from '../skills/skills.ts'
import type { HouseOptions } from './house.ts'

/** @param homeOf throws for an account without a home, such as a container's bare user id */
export function buildSkills(
  { config, dataDir, logger }: Pick<HouseOptions, 'config' | 'dataDir' | 'logger'>,
  homeOf: () => string = homedir,
): Skills {
  return createSkills({ folders: skillFolders(homeOrNone(homeOf), config.skills), dataDir, logger })
}

function homeOrNone(homeOf: () => string): string | undefined {
  try {
    return homeOf()
  } catch {
    // Nothing can lie in a home that does not exist; folders of the configuration still count.
    return undefined
  }
}
