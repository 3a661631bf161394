/** What an act on an element is: what it acts on, and whether it may carry something out (a form, a password). */
import type { Locator } from 'playwright-core'
import type { Browsers } from '../../browser/browsers.ts'
import type { BoundCall, ToolContext } from '../../protocol/tool.ts'
import { elementOf } from './frame.ts'

const LOOK_MS = 3_000
const MOST_CHARS = 300
const MOST_LABEL = 80

export type Act = 'click' | 'type' | 'submit'

/** Nothing when there is no such element: the call itself then says so. */
export async function aim(
  browsers: Browsers,
  ctx: Pick<ToolContext, 'sessionId'>,
  target: { readonly tab: string | undefined; readonly ref: string },
  act: Act,
): Promise<Pick<BoundCall, 'target' | 'carriesOut'>> {
  const answer = await browsers.peek(ctx.sessionId, async (browser) => {
    try {
      const { page } = browser.tabs.find(target.tab)
      const element = await elementOf(page, target.ref)
      const carries = await look(element, act)
      // What cannot be described is still judged.
      const seen = await describe(element).catch(() => '?')
      return {
        target: `${seen} · ${page.url()}`.slice(0, MOST_CHARS),
        ...(carries ? { carriesOut: true as const } : {}),
      }
    } catch {
      return {}
    }
  })
  return answer ?? {}
}

/** `button “提交”`: what people see of an element. Its words are the page's, and only shown. */
function describe(element: Locator): Promise<string> {
  return element.evaluate(
    (node, most) => {
      const words = node.getAttribute('aria-label') ?? node.getAttribute('placeholder') ?? node.textContent
      const label = (
        words ||
        (node.matches('input[type=password]') ? '' : node.getAttribute('value')) ||
        node.getAttribute('name') ||
        ''
      ).trim()
      return `${node.tagName.toLowerCase()} “${label.replace(/\s+/g, ' ').slice(0, most)}”`
    },
    MOST_LABEL,
    { timeout: LOOK_MS },
  )
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
