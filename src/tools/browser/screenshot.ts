import { z } from 'zod'
import type { Browsers } from '../../browser/browsers.ts'
import { defineTool } from '../../protocol/tool.ts'
import { pictureResult, sendArgument } from '../picture.ts'
import { ACT_MS, GROUP, onTab, tabArgument, whereabouts } from './frame.ts'

export function createScreenshotTool(browsers: Browsers) {
  return defineTool({
    name: 'browser_screenshot',
    description:
      'A picture of what the page shows now (1280 × 800). You see it; with send it also goes into this chat. ' +
      'To click or type, browser_snapshot is what you need.',
    input: z.strictObject({ send: sendArgument, tab: tabArgument }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (_args, text) => text('tools.browser_screenshot.title'),
    run: (args, ctx) =>
      onTab(browsers, ctx, args.tab, async (tab) => {
        const png = await tab.page.screenshot({ type: 'png', scale: 'css', timeout: ACT_MS })
        return pictureResult(png, ctx, {
          name: 'browser.png',
          send: args.send,
          text: await whereabouts(tab),
          foreign: true,
        })
      }),
  })
}
