import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import { defineTool } from '../../protocol/tool.ts'
import { deed, GROUP, xArgument, yArgument } from './frame.ts'

/** Points between start and end of a drag: programs notice movement, not arrival. */
const DRAG_STEPS = 8

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
