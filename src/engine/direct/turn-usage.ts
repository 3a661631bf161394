/** Tokens and cost of one model request, said as an event. */
import type { Model, Usage } from '../../protocol/model.ts'
import type { Run } from './run.ts'

/** Emits what a request used; nothing when the provider did not say. */
export async function reportUsage(run: Run, usage: Usage | undefined): Promise<void> {
  if (!usage) return
  const { model } = run.deps
  await run.emit({
    type: 'usage',
    model: model.name,
    ...usage,
    cost: cost(model, usage),
    currency: model.price?.currency,
  })
}

/** In the price's currency; prices are per million tokens. */
function cost({ price }: Model, usage: Usage): number | undefined {
  if (!price) return undefined
  const fresh = Math.max(0, usage.inputTokens - usage.cachedTokens)
  return (
    (fresh * price.input + usage.cachedTokens * price.cached + usage.outputTokens * price.output) / 1_000_000
  )
}
