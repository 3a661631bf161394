import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import { defineTool } from '../../protocol/tool.ts'
import { deed, GROUP, xArgument, yArgument } from './frame.ts'

const WHEEL = { up: '4', down: '5' } as const

export function createMouseScrollTool(desktops: Desktops) {
  return defineTool({
    name: 'mouse_scroll',
    description: 'Turns the mouse wheel at a place on the virtual desktop.',
    input: z.strictObject({
      x: xArgument,
      y: yArgument,
      clicks: z
        .int()
        .min(-50)
        .max(50)
        .describe('Notches: positive up, negative down, at most 50.')
        .meta({ examples: [-3] }),
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.mouse_scroll.title', { clicks: args.clicks }),
    run: (args, ctx) => {
      const button = args.clicks > 0 ? WHEEL.up : WHEEL.down
      const turns = Math.abs(args.clicks)
      const moves = [
        ['mousemove', String(args.x), String(args.y)],
        ...(turns === 0 ? [] : [['click', '--repeat', String(turns), '--delay', '20', button]]),
      ]
      return deed(desktops, ctx, { do: 'mouse', moves }, () => `Scrolled ${args.clicks}.`)
    },
  })
}
