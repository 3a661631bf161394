/** The head of a skill's file: what it is called and when it is of use. Pure. */
import { parse } from 'yaml'
import { z } from 'zod'

const headSchema = z.looseObject({
  name: z.string().trim().min(1).optional().catch(undefined),
  description: z.string().trim().min(1).optional().catch(undefined),
})

export interface SkillText {
  readonly name: string | undefined
  readonly description: string | undefined
  /** Everything below the head. */
  readonly body: string
}

const HEAD = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

/** A file without a head, or with a broken one, is all body: it then has no description to be chosen by. */
export function parseSkill(text: string): SkillText {
  const head = HEAD.exec(text)
  const facts = headSchema.safeParse(head ? readYaml(head[1] ?? '') : {}).data
  return {
    name: facts?.name,
    description: facts?.description,
    body: (head ? text.slice(head[0].length) : text).trim(),
  }
}

function readYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 })
  } catch {
    // Many skills write an unquoted colon in their description; the two plain fields are read by hand.
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}:[ \\t]*(.+)$`, 'm')
        .exec(text)?.[1]
        ?.trim()
        .replace(/^(["'])(.*)\1$/, '$2')
    return { name: field('name'), description: field('description') }
  }
}
