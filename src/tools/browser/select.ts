import { z } from 'zod'
import type { Browsers } from '../../browser/browsers.ts'
import { defineTool, toolError } from '../../protocol/tool.ts'
import { ACT_MS, elementOf, GROUP, onTab, refArgument, settle, tabArgument, whereabouts } from './frame.ts'

const LISTED = 50

interface Option {
  readonly value: string
  readonly label: string
}

export function createSelectTool(browsers: Browsers) {
  return defineTool({
    name: 'browser_select',
    description:
      'Chooses an option of a drop-down list by its ref in browser_snapshot: by the text people see, or by its value. ' +
      'A choice that is not there lists those that are.',
    input: z.strictObject({
      ref: refArgument,
      value: z
        .string()
        .min(1)
        .describe('Text or value of the option.')
        .meta({ examples: ['上海'] }),
      tab: tabArgument,
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.browser_select.title', { value: args.value.slice(0, 80) }),
    run: (args, ctx) =>
      onTab(browsers, ctx, args.tab, async (tab) => {
        const list = await elementOf(tab.page, args.ref)
        const options = await list.evaluate(
          (node): Option[] | undefined =>
            node.matches('select')
              ? [...node.options].map(({ value, label }: Option) => ({ value, label: label.trim() }))
              : undefined,
          undefined,
          { timeout: ACT_MS },
        )
        if (!options) {
          return toolError(
            'invalid_argument',
            `${args.ref} is no drop-down list.`,
            'Use browser_click for it.',
          )
        }
        const wanted =
          options.find(({ label }) => label === args.value) ??
          options.find(({ value }) => value === args.value)
        if (!wanted) {
          const names = options.slice(0, LISTED).map(({ label }) => label)
          const more = options.length > LISTED ? ` … ${options.length} in all` : ''
          return toolError(
            'not_found',
            `There is no "${args.value}".`,
            `There are: ${names.join(', ')}${more}`,
          )
        }
        await list.selectOption({ value: wanted.value }, { timeout: ACT_MS })
        await settle(tab)
        return { ok: true, text: `Chose "${wanted.label}".\n${await whereabouts(tab)}`, foreign: true }
      }),
  })
}
