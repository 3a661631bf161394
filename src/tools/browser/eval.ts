import { z } from 'zod'
import type { Browsers } from '../../browser/browsers.ts'
import { AppError } from '../../protocol/errors.ts'
import { defineTool } from '../../protocol/tool.ts'
import { GROUP, onTab, settle, tabArgument } from './frame.ts'

/** Characters that leave the page; the rest is counted and left. */
const RESULT_CHARS = 20_000
const EVAL_MS = 10_000

export function createEvalTool(browsers: Browsers) {
  return defineTool({
    name: 'browser_eval',
    description:
      'Evaluates a JavaScript expression in the page and returns its value as text or JSON, at most 20000 characters. ' +
      'A promise is waited for. A script can send anything anywhere, so it may be asked about each time: prefer browser_snapshot.',
    input: z.strictObject({
      expression: z
        .string()
        .min(1)
        .max(20_000)
        .describe('One expression, not statements; a function call such as (() => {…})() for more.')
        .meta({ examples: ['document.title'] }),
      tab: tabArgument,
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.browser_eval.title', { expression: args.expression.slice(0, 120) }),
    bind: async (args) => ({ tool: 'browser_eval', args, carriesOut: true }),
    run: (args, ctx) =>
      onTab(browsers, ctx, args.tab, async (tab) => {
        const limit = new AbortController()
        const cancel = tab.browser.clock.after(EVAL_MS, () => limit.abort())
        try {
          const { text, total } = await Promise.race([
            evaluate(tab.page, args.expression),
            hung(limit.signal),
          ])
          await settle(tab)
          if (total <= RESULT_CHARS) return { ok: true, text, foreign: true }
          return {
            ok: true,
            text: `${text}\n… ${total - RESULT_CHARS} of ${total} characters left out; let the expression take a part (.slice).`,
            truncated: { total, returned: RESULT_CHARS },
            foreign: true,
          }
        } catch (error) {
          // A script without an end holds its tab for good.
          if (limit.signal.aborted) await tab.page.close()
          throw error
        } finally {
          cancel()
        }
      }),
  })
}

/** The value is cut inside the page: what is not shown is not carried over either. */
async function evaluate(
  page: { evaluateHandle(expression: string): Promise<import('playwright-core').JSHandle<unknown>> },
  expression: string,
): Promise<{ text: string; total: number }> {
  const handle = await page.evaluateHandle(expression)
  try {
    return await handle.evaluate((value, most) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
      return { text: text.slice(0, most), total: text.length }
    }, RESULT_CHARS)
  } finally {
    await handle.dispose()
  }
}

function hung(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () =>
      reject(
        new AppError(
          'tool.timeout',
          `The expression took longer than ${EVAL_MS / 1_000} s; its tab was closed.`,
          {
            hint: 'Open the page again and ask for less.',
          },
        ),
      ),
    )
  })
}
