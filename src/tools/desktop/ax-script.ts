import { z } from 'zod'
import type { Desktops } from '../../desktop/desktops.ts'
import { AppError } from '../../protocol/errors.ts'
import { defineTool, type ToolContext } from '../../protocol/tool.ts'
import { existingPath } from '../workspace-path.ts'
import { GROUP, onDesktop } from './frame.ts'
import { type Order, parseScript } from './script.ts'

const SCRIPT_CHARS = 10_000

export function createAxScriptTool(desktops: Desktops) {
  return defineTool({
    name: 'ax_script',
    description:
      `Opens programs on the virtual desktop of this session and works with their elements by role and name. Programs: ${desktops.programs.join(', ') || 'none'}. ` +
      'Orders, one a line: open <program> [file of the workspace] · tree · find role "…" name "…" · click <element> · do "<action>" <element> · ' +
      'set <element> "<text>" · read <element> · focus <element>. An element is #number of the newest tree, or role "…" and/or name "…".',
    input: z.strictObject({
      script: z
        .string()
        .min(1)
        .max(SCRIPT_CHARS)
        .describe('At most 20 orders.')
        .meta({ examples: ['open mousepad\ntree'] }),
      timeout: z.int().min(3).max(60).default(15).describe('Seconds for one order, 3 to 60. Default 15.'),
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) =>
      text('tools.ax_script.title', { script: args.script.replaceAll('\n', ' · ').slice(0, 120) }),
    run: (args, ctx) =>
      onDesktop(desktops, ctx, async (desktop) => {
        const orders = parseScript(args.script)
        const out: string[] = []
        for (const [at, order] of orders.entries()) {
          try {
            const { lines } = await desktop.act(
              { ...(await withPlace(order, desktops, ctx)) },
              args.timeout * 1_000,
            )
            out.push(`> ${describe(order)}`, ...lines)
          } catch (error) {
            throw stoppedAt(error, at, orders.length, out)
          }
        }
        return { ok: true, text: out.join('\n') }
      }),
  })
}

/** An order to open something, with its real file and folder; anything else as it is. */
async function withPlace(
  order: Order,
  desktops: Desktops,
  ctx: ToolContext,
): Promise<Order & { readonly cwd?: string }> {
  if (order.do !== 'open') return order
  if (!desktops.programs.includes(order.program ?? '')) {
    throw new AppError('tool.refused', `"${order.program}" may not be opened here.`, {
      hint: `Programs that an operator allows: ${desktops.programs.join(', ') || 'none'}.`,
    })
  }
  const file = order.file === undefined ? {} : { file: await existingPath(ctx.workspace, order.file) }
  await desktops.claim(ctx.workspace)
  return { ...order, ...file, cwd: ctx.workspace }
}

function describe(order: Order): string {
  const element =
    order.element === undefined ? [order.role, order.name].filter(Boolean).join(' ') : `#${order.element}`
  return [order.do, order.program, order.file, order.action, element].filter(Boolean).join(' ')
}

/** The orders before it have had their effect: the model must know which. */
function stoppedAt(error: unknown, at: number, of: number, out: readonly string[]): unknown {
  if (!(error instanceof AppError) || at === 0) return error
  const done = `Orders 1 to ${at} of ${of} were done:\n${out.join('\n')}\nOrder ${at + 1}: `
  return new AppError(error.code, `${done}${error.message}`, { hint: error.hint })
}
