import { z } from 'zod'
import type { Browsers } from '../../browser/browsers.ts'
import { defineTool, toolError } from '../../protocol/tool.ts'
import { GROUP, inBrowser, tabArgument, whereabouts } from './frame.ts'

export function createTabsTool(browsers: Browsers) {
  return defineTool({
    name: 'browser_tabs',
    description: 'Lists the tabs of the browser of this chat, closes one, or makes one the active tab.',
    input: z.strictObject({
      action: z
        .enum(['list', 'close', 'activate'])
        .describe('What to do.')
        .meta({ examples: ['list'] }),
      tab: tabArgument,
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text(`tools.browser_tabs.title.${args.action}`, { tab: args.tab ?? '' }),
    run: (args, ctx) =>
      inBrowser(browsers, ctx, false, async ({ tabs }) => {
        if (args.action !== 'list') {
          if (args.tab === undefined) {
            return toolError(
              'invalid_argument',
              `browser_tabs: "${args.action}" needs a tab.`,
              'List them first.',
            )
          }
          await (args.action === 'close' ? tabs.close(args.tab) : tabs.activate(args.tab))
        }
        const open = tabs.list()
        if (open.length === 0) return { ok: true, text: 'No tab is open any more.' }
        const active = tabs.active().id
        const lines = await Promise.all(
          open.map(async (tab) => `${tab.id === active ? '* ' : '  '}${await whereabouts(tab)}`),
        )
        return { ok: true, text: `${lines.join('\n')}\n(* is the active tab)`, foreign: true }
      }),
  })
}
