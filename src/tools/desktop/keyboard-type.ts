import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import { defineTool } from '../../protocol/tool.ts'
import { deed, GROUP } from './frame.ts'

const TEXT_CHARS = 2_000
const TYPE_MS = 130_000

export function createKeyboardTypeTool(desktops: Desktops) {
  return defineTool({
    name: 'keyboard_type',
    description:
      'Types text into whatever has the focus on the virtual desktop: any language, a line break is Enter. ' +
      'Click the field first; read it back with ax_script.',
    input: z.strictObject({
      text: z
        .string()
        .min(1)
        .max(TEXT_CHARS)
        .describe(`What to type, at most ${TEXT_CHARS} characters.`)
        .meta({ examples: ['你好，驿站'] }),
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.keyboard_type.title', { count: [...args.text].length }),
    run: (args, ctx) => {
      const count = [...args.text].length
      return deed(desktops, ctx, { do: 'type', text: args.text }, () => `Typed ${count} characters.`, TYPE_MS)
    },
  })
}
