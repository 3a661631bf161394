/** The skills as the prompt names them. Pure. */
import type { Skill } from './skills.ts'

const CHARACTERS = 4_000

/** One line a skill within a bound; those left out are counted. Empty without skills. */
export function skillCatalogue(skills: readonly Skill[]): string {
  const lines: string[] = []
  let left = CHARACTERS
  for (const { name, description } of skills) {
    const line = description === '' ? `- ${name}` : `- ${name}: ${description}`
    left -= line.length + 1
    if (left < 0) break
    lines.push(line)
  }
  const more = skills.length - lines.length
  if (more > 0) lines.push(`- … ${more} more: load_skill with a wrong name lists all names`)
  return lines.join('\n')
}
