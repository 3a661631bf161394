import { relative } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import { defineTool } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { writeAtomically, writeTarget } from './atomic-write.ts'
import { encodeWhole, encodingName } from './encoding.ts'
import { readWholeFile, stateOf, type WholeFile } from './text-file.ts'

export const editFileTool = defineTool({
  name: 'edit_file',
  description:
    'Replaces one exact piece of text in a file of the workspace. old_string must occur exactly once, unless replace_all is true: ' +
    'copy it from read_file without the line numbers, with enough lines around it. Encoding, line ends and mode stay as they are.',
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .describe('File relative to the workspace.')
      .meta({ examples: ['src/main.ts'] }),
    old_string: z
      .string()
      .min(1)
      .describe('Text to replace, exactly as it stands in the file.')
      .meta({ examples: ['port: 8080'] }),
    new_string: z
      .string()
      .describe('Text that takes its place; empty deletes it.')
      .meta({ examples: ['port: 8787'] }),
    replace_all: z.boolean().default(false).describe('Replace every occurrence. Default false.'),
  }),
  readOnly: false,
  risk: 'write',
  title: (args, text) => text('tools.edit_file.title', { path: args.path }),
  async bind(args, ctx) {
    const target = await writeTarget(ctx.workspace, args.path)
    const { digest } = await stateOf(ctx, args.path)
    return { tool: 'edit_file', args, paths: [target.path], files: { [target.path]: digest } }
  },
  run: (args, ctx, _signal, bound) =>
    asResult(async () => {
      const target = await writeTarget(ctx.workspace, args.path)
      const file = await readWholeFile(ctx, args.path)
      const expected = bound.files?.[target.path]
      if (expected !== undefined && expected !== file.digest) {
        throw new AppError('tool.refused', `"${args.path}" has changed since this edit was made.`, {
          hint: 'Read the file again and make the edit anew.',
        })
      }
      const edit = replace(args, file)
      await writeAtomically(ctx.workspace, target, edit.bytes)
      const name = relative(ctx.workspace, target.path)
      return {
        ok: true,
        text: `Edited ${name} (${edit.encoding}): ${edit.count} replaced, first at line ${edit.line}.`,
      }
    }),
})

interface Edit {
  readonly path: string
  readonly old_string: string
  readonly new_string: string
  readonly replace_all: boolean
}

function replace(
  edit: Edit,
  file: WholeFile,
): { bytes: Buffer; count: number; line: number; encoding: string } {
  if (file.text === undefined || file.encoding === undefined) {
    throw new AppError('tool.refused', `"${edit.path}" is binary or mixes encodings.`, {
      hint: 'Nothing was changed, so that no byte is damaged. Convert the file first, for example with iconv.',
    })
  }
  const { from, to } = withLineEnds(edit, file.text)
  const pieces = file.text.split(from)
  const count = pieces.length - 1
  if (count === 0) {
    throw new AppError('tool.not_found', `old_string does not occur in "${edit.path}".`, {
      hint: 'Read the lines again and copy them exactly, with their spaces and without line numbers.',
    })
  }
  if (count > 1 && !edit.replace_all) {
    throw new AppError('tool.invalid_argument', `old_string occurs ${count} times in "${edit.path}".`, {
      hint: 'Add lines around it until it is unique, or set replace_all to true.',
    })
  }
  const bytes = encodeWhole(pieces.join(to), file.encoding)
  if (!bytes) {
    throw new AppError('tool.refused', `new_string has characters that ${file.encoding.name} cannot hold.`, {
      hint: 'Leave them out, or convert the file to UTF-8 first: iconv.',
    })
  }
  const line = (pieces[0] ?? '').split('\n').length
  return { bytes, count, line, encoding: encodingName(file.encoding) }
}

/** In a file whose lines end in CRLF, strings written with LF mean CRLF. */
function withLineEnds(edit: Edit, text: string): { from: string; to: string } {
  const { old_string: from, new_string: to } = edit
  const bare = text.replaceAll('\r\n', '').includes('\n')
  if (!text.includes('\r\n') || bare || from.includes('\r\n')) return { from, to }
  return { from: from.replaceAll('\n', '\r\n'), to: to.replace(/\r?\n/g, '\r\n') }
}
