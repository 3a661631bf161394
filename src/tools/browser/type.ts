import { z } from 'zod'
import type { Browsers } from '../../browser/browsers.ts'
import { defineTool } from '../../protocol/tool.ts'
import { aim } from './carries-out.ts'
import { ACT_MS, elementOf, GROUP, onTab, refArgument, settle, tabArgument, whereabouts } from './frame.ts'

const TEXT_CHARS = 20_000

export function createTypeTool(browsers: Browsers) {
  return defineTool({
    name: 'browser_type',
    description:
      'Types text into a field of the page by its ref in browser_snapshot, and reads it back. ' +
      'With submit it presses Enter afterwards; that, and passwords, may be asked about each time.',
    input: z.strictObject({
      ref: refArgument,
      text: z
        .string()
        .max(TEXT_CHARS)
        .describe('What to type; any language.')
        .meta({ examples: ['驿站'] }),
      clear: z.boolean().default(true).describe('Replace what is there; false appends. Default true.'),
      submit: z.boolean().default(false).describe('Press Enter afterwards. Default false.'),
      tab: tabArgument,
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.browser_type.title', { ref: args.ref, count: [...args.text].length }),
    bind: async (args, ctx) => {
      const act = args.submit ? 'submit' : 'type'
      const aimed = await aim(browsers, ctx, { tab: args.tab, ref: args.ref }, act)
      return { tool: 'browser_type', args, ...aimed }
    },
    run: (args, ctx) =>
      onTab(browsers, ctx, args.tab, async (tab) => {
        const field = await elementOf(tab.page, args.ref)
        if (args.clear) await field.fill(args.text, { timeout: ACT_MS })
        else {
          await field.press('End', { timeout: ACT_MS })
          await field.pressSequentially(args.text, { timeout: ACT_MS })
        }
        const now = await field.evaluate((node): string | undefined =>
          node.matches('input[type=password]') ? undefined : (node.value ?? node.textContent ?? ''),
        )
        if (args.submit) {
          await field.press('Enter', { timeout: ACT_MS })
          await settle(tab)
        }
        const shown = now === undefined ? '' : ` It now holds: ${JSON.stringify(now.slice(0, 300))}`
        return { ok: true, text: `Typed into ${args.ref}.${shown}\n${await whereabouts(tab)}`, foreign: true }
      }),
  })
}
