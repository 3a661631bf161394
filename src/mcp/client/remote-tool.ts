/** A tool of another server as a tool of ours. Calling one is `control`: it asks unless a rule allows it (M4). */
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import { type AnyTool, defineTool, toolError } from '../../protocol/tool.ts'
import { cleanLine } from './clean-text.ts'
import { modelDescription, modelSchema } from './definition.ts'
import type { Link } from './link.ts'
import type { AgreedTool } from './pins.ts'
import { withKeptFiles } from './received-files.ts'

const input = z.looseObject({})
const schema = z.looseObject({ required: z.array(z.string()).catch([]) })

export function remoteTool(
  name: string,
  link: Pick<Link, 'entry' | 'agreement' | 'call'>,
  agreed: AgreedTool,
): AnyTool {
  const server = link.entry.name
  const { parameters, cut } = modelSchema(agreed.definition)
  const required = schema.parse({ required: [], ...agreed.definition.inputSchema }).required
  const note = cut ? ' (Its schema is too large to be shown; any object is passed on.)' : ''
  const isCurrent = (): boolean =>
    link.agreement.agreed.some((one) => one.tool === agreed.tool && one.digest === agreed.digest)
  return defineTool({
    name,
    about: `${cleanLine(server, 40)} · ${cleanLine(agreed.definition.title ?? agreed.tool, 80)}`,
    description: modelDescription(server, agreed.definition) + note,
    input,
    parameters,
    readOnly: false,
    risk: 'control',
    title: (_args, text) =>
      text('mcp.call.title', { server: cleanLine(server, 60), tool: cleanLine(agreed.tool, 100) }),
    bind: async (args) => {
      const missing = required.filter((field) => !(field in args))
      if (missing.length > 0) {
        throw new AppError('tool.invalid_argument', `${name} needs: ${missing.join(', ')}.`, {
          hint: 'Give every required field of its schema.',
        })
      }
      return { tool: name, args, definition: agreed.digest }
    },
    run: async (args, ctx, signal) => {
      if (!isCurrent()) {
        const hint = 'An administrator can look at it with /mcp and agree to it with /mcp show.'
        return toolError(
          'refused',
          `The server "${server}" has changed this tool since it was agreed to.`,
          hint,
        )
      }
      const { result, files } = await link.call(agreed.tool, args, signal)
      return withKeptFiles(result, files, name.replace(/^mcp__/, ''), ctx)
    },
  })
}
