/** Streaming cards as the platform sees them: calls per card, refusals, and how old what people see is. */
import { setTimeout as pause } from 'node:timers/promises'
import { type CardStage, openCardStage, type Watched } from './card-stage.ts'
import { quantile, type Row } from './row.ts'

const API_MS = 80
const WORDS_PER_SECOND = 50
const AT_ONCE = 20

export async function measureCards(quick: boolean): Promise<Row[]> {
  const stage = await openCardStage(API_MS)
  try {
    // The first answer loads the client of the model.
    await answers(stage, 1, 20)
    const alone: Watched[] = []
    for (let i = 0; i < (quick ? 2 : 8); i++) alone.push(...(await answers(stage, 1, WORDS_PER_SECOND * 3)))
    stage.forget()
    const many = await answers(stage, AT_ONCE, WORDS_PER_SECOND * (quick ? 5 : 75))
    const { busiestCard, refusals } = stage.traffic()
    const stale = many.flatMap(({ staleness }) => staleness)
    return [
      exactly('card calls in the busiest second of a card', busiestCard, '', 10),
      exactly('calls that the platform refused, with 20 answers at once', refusals, '', 0),
      aimed(
        'first word → on the card',
        'ms',
        alone.map(({ firstMs }) => firstMs),
        [5 * API_MS, API_MS + 20],
      ),
      aimed(
        'last word → final card',
        'ms',
        alone.map(({ finalMs }) => finalMs),
        [API_MS + 250, API_MS + 120],
      ),
      exactly('20 answers at once: not finished', AT_ONCE - many.length, '', 0),
      aimed('20 answers at once: staleness, p99', 's', [quantile(stale, 0.99) / 1_000], [1.8, 1.8]),
      aimed(
        '20 answers at once: last word → final card',
        'ms',
        many.map(({ finalMs }) => finalMs),
        [2_000, 500],
      ),
    ]
  } finally {
    await stage.stop()
  }
}

/** Asks in so many chats at once and waits for all. */
async function answers(stage: CardStage, count: number, words: number): Promise<Watched[]> {
  const asked = Array.from({ length: count }, (_, index) => stage.ask(index, words, WORDS_PER_SECOND))
  const done = await Promise.all(asked)
  // A chat takes five messages a second; the next answers shall not pay for these.
  await pause(1_200)
  return done
}

function exactly(name: string, value: number, unit: string, bound: number): Row {
  return { ...{ name, value, unit, baseline: null, ratio: null }, target: `≤ ${bound}`, ok: value <= bound }
}

function aimed(name: string, unit: string, values: readonly number[], [gate, aim]: [number, number]): Row {
  const value = quantile(values, 0.5)
  const target = gate === aim ? `≤ ${gate} ${unit}` : `≤ ${gate} ${unit} (aim ${aim})`
  return { ...{ name, value, unit, baseline: null, ratio: null }, target, ok: value <= gate }
}
