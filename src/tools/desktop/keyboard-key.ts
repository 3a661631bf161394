import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import { defineTool, toolError } from '../../protocol/tool.ts'
import { deed, GROUP } from './frame.ts'
import { keyNames } from './keys.ts'

export function createKeyboardKeyTool(desktops: Desktops) {
  return defineTool({
    name: 'keyboard_key',
    description:
      'Presses a key or a combination on the virtual desktop, such as Ctrl+S, Alt+F4, Enter or PageDown.',
    input: z.strictObject({
      key: z
        .string()
        .min(1)
        .max(60)
        .describe('Keys joined by +.')
        .meta({ examples: ['Ctrl+S'] }),
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.keyboard_key.title', { key: args.key }),
    run: async (args, ctx) => {
      const keys = keyNames(args.key)
      if (keys === undefined) {
        return toolError(
          'invalid_argument',
          `keyboard_key: "${args.key}" is no key.`,
          'Write Ctrl, Alt, Shift or Super, and a letter, a digit, F1–F12, Enter, Esc, Tab, Space, Backspace, Delete, Home, End, PageUp, PageDown or an arrow (Up …), joined by +.',
        )
      }
      return deed(desktops, ctx, { do: 'key', keys }, () => `Pressed ${args.key}.`)
    },
  })
}
