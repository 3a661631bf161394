/** Whether an act on an element may carry something out of the house: a form that is posted, a password. */
import type { Locator } from 'playwright-core'
import type { Browsers } from '../../browser/browsers.ts'
import type { ToolContext } from '../../protocol/tool.ts'
import { elementOf } from './frame.ts'

const LOOK_MS = 3_000

export type Act = 'click' | 'type' | 'submit'

/** False when there is no such element: the call itself then says so. */
export async function carriesOut(
  browsers: Browsers,
  ctx: Pick<ToolContext, 'sessionId'>,
  target: { readonly tab: string | undefined; readonly ref: string },
  act: Act,
): Promise<boolean> {
  const answer = await browsers.peek(ctx.sessionId, async (browser) => {
    try {
      const { page } = browser.tabs.find(target.tab)
      return await look(await elementOf(page, target.ref), act)
    } catch {
      return false
    }
  })
  return answer ?? false
}

function look(element: Locator, act: Act): Promise<boolean> {
  return element.evaluate(
    (node, what) => {
      if (what === 'type') return node.matches('input[type=password]')
      if (what === 'submit') return true
      const button = node.closest('button, input')
      const submits = button?.type === 'submit' || button?.type === 'image'
      return submits && (button.getAttribute('formmethod') ?? button.form?.method)?.toLowerCase() === 'post'
    },
    act,
    { timeout: LOOK_MS },
  )
}
