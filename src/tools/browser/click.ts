import { z } from 'zod'
import type { Browsers } from '../../browser/browsers.ts'
import { defineTool } from '../../protocol/tool.ts'
import { aim } from './carries-out.ts'
import { ACT_MS, elementOf, GROUP, onTab, refArgument, settle, tabArgument, whereabouts } from './frame.ts'

export function createClickTool(browsers: Browsers) {
  return defineTool({
    name: 'browser_click',
    description:
      'Clicks an element of the page by its ref in browser_snapshot, scrolling to it and waiting until it can be clicked. ' +
      'Sending a form may be asked about each time.',
    input: z.strictObject({
      ref: refArgument,
      double: z.boolean().default(false).describe('Double click. Default false.'),
      tab: tabArgument,
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.browser_click.title', { ref: args.ref }),
    bind: async (args, ctx) => ({
      ...(await aim(browsers, ctx, { tab: args.tab, ref: args.ref }, 'click')),
      ...{ tool: 'browser_click', args },
    }),
    run: (args, ctx) =>
      onTab(browsers, ctx, args.tab, async (tab) => {
        const element = await elementOf(tab.page, args.ref)
        await (args.double ? element.dblclick({ timeout: ACT_MS }) : element.click({ timeout: ACT_MS }))
        await settle(tab)
        return { ok: true, text: `Clicked ${args.ref}.\n${await whereabouts(tab)}`, foreign: true }
      }),
  })
}
