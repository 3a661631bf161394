import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import { defineTool } from '../../protocol/tool.ts'
import { deed, GROUP, openWindows, xArgument, yArgument } from './frame.ts'

const BUTTONS = { left: '1', middle: '2', right: '3' } as const

export function createMouseClickTool(desktops: Desktops) {
  return defineTool({
    name: 'mouse_click',
    description:
      'Clicks a place on the virtual desktop; look at it with screenshot first. For buttons and menus by name, ax_script is surer.',
    input: z.strictObject({
      x: xArgument,
      y: yArgument,
      button: z.enum(['left', 'middle', 'right']).default('left').describe('Default left.'),
      double_click: z.boolean().default(false).describe('Default false.'),
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.mouse_click.title', { x: args.x, y: args.y }),
    run: (args, ctx) => {
      const times = args.double_click ? ['--repeat', '2', '--delay', '80'] : []
      const moves = [
        ['mousemove', String(args.x), String(args.y)],
        ['click', ...times, BUTTONS[args.button]],
      ]
      return deed(desktops, ctx, { do: 'mouse', moves }, ({ windows }) => `Clicked. ${openWindows(windows)}`)
    },
  })
}
