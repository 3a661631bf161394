import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import { defineTool } from '../../protocol/tool.ts'
import { deed, GROUP, openWindows, xArgument, yArgument } from './frame.ts'

const BUTTONS = { left: '1', middle: '2', right: '3' } as const
const WHEEL = { up: '4', down: '5' } as const
/** Points between start and end of a drag: programs notice movement, not arrival. */
const DRAG_STEPS = 8

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

export function createMouseDragTool(desktops: Desktops) {
  return defineTool({
    name: 'mouse_drag',
    description: 'Presses the left button at one place of the virtual desktop and lets go at another.',
    input: z.strictObject({ from_x: xArgument, from_y: yArgument, to_x: xArgument, to_y: yArgument }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) =>
      text('tools.mouse_drag.title', {
        from: `${args.from_x}, ${args.from_y}`,
        to: `${args.to_x}, ${args.to_y}`,
      }),
    run: (args, ctx) => {
      const between = (from: number, to: number, step: number): string =>
        String(Math.round(from + ((to - from) * step) / DRAG_STEPS))
      const way = Array.from({ length: DRAG_STEPS + 1 }, (_, step) => [
        'mousemove',
        between(args.from_x, args.to_x, step),
        between(args.from_y, args.to_y, step),
      ])
      const [first = [], ...rest] = way
      const moves = [first, ['mousedown', '1'], ...rest, ['mouseup', '1']]
      return deed(desktops, ctx, { do: 'mouse', moves }, () => 'Dragged.')
    },
  })
}
