import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Skills } from '../../skills/skills.ts'
import { asResult } from '../failure.ts'
import { oneLine } from '../one-line.ts'

const PAGE = 7_400

/** Needs no approval: what it reads was written by the operator. */
export function createLoadSkillTool(skills: Skills): AnyTool {
  return defineTool({
    name: 'load_skill',
    description:
      'Reads the instructions of one skill that the prompt lists, written by the operator for a kind of work. Load it before such work begins; a wrong name lists all names. Files of the workspace are read with read_file instead.',
    input: z.strictObject({
      name: z
        .string()
        .trim()
        .min(1)
        .max(80)
        .describe('Name of the skill as the prompt lists it.')
        .meta({ examples: ['weekly-report'] }),
      file: z
        .string()
        .min(1)
        .max(300)
        .optional()
        .describe("Another text file of the skill's folder.")
        .meta({ examples: ['references/format.md'] }),
      offset: z.int().min(0).default(0).describe('Characters to skip, from an earlier result. Default 0.'),
    }),
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('agents.skill.title', { name: oneLine(args.name) }),
    run: (args) =>
      asResult(async () => {
        const { text, files } = skills.read(args.name, args.file)
        const shown = text.slice(args.offset, args.offset + PAGE).toWellFormed()
        const end = args.offset + shown.length
        const notes = [
          ...(end < text.length
            ? [`${text.length} characters in total, ${shown.length} returned, use offset ${end} for more`]
            : []),
          ...(files.length > 0 ? [`files of this skill, read with "file": ${files.join(', ')}`] : []),
        ]
        return {
          ok: true,
          text: [shown, ...(notes.length > 0 ? [`(${notes.join('; ')})`] : [])].join('\n'),
          ...(end < text.length
            ? { truncated: { total: text.length, returned: shown.length, next: end } }
            : {}),
        }
      }),
  })
}
