/** How much of an answer is taken: a provider that never ends one must not fill the memory of everybody. */
import type { ModelEvent, Usage } from '../protocol/model.ts'

/** Long words of code and runs of blanks among them; no honest answer has so many characters a token. */
const CHARACTERS_PER_TOKEN = 16
/** Some servers know no limit of output; an answer of theirs may be this long all the same. */
const LEAST_CHARACTERS = 200_000
/** Thinking is not limited by every provider, and none of it is kept longer than its run. */
const MOST_REASONING = 4_000_000

export interface AnswerLimit {
  /** Counts what came; true once it is more than is taken. */
  exceeded(event: ModelEvent): boolean
  /** Tokens that the provider will ask for although it has not said so, by their length. */
  usage(): Usage
}

/** @param maxOutputTokens what the provider was asked to keep to */
export function createAnswerLimit(maxOutputTokens: number): AnswerLimit {
  const most = Math.max(LEAST_CHARACTERS, maxOutputTokens * CHARACTERS_PER_TOKEN)
  let characters = 0
  let reasoning = 0
  return {
    exceeded: (event) => {
      if (event.type === 'text') characters += event.delta.length
      if (event.type === 'progress') characters += event.characters
      if (event.type === 'reasoning') reasoning += event.delta.length
      return characters > most || reasoning > MOST_REASONING
    },
    usage: () => ({
      inputTokens: 0,
      outputTokens: Math.ceil((characters + reasoning) / 4),
      cachedTokens: 0,
    }),
  }
}
