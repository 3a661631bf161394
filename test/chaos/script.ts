/** What the scripted model does: one tool call for an errand that wants one, then an answer with its tag. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Reply, Turn } from '../e2e/support/endpoint.ts'
import { tagIn } from './errand.ts'

/** The words with which every answer of an errand begins; nothing else in a chat says them. */
export const answerMark = (tag: string): string => `答复 ${tag}：`

/** True for the answer of any errand. */
export const isAnswer = (text: string): boolean => /答复 \w+-\d+：/.test(text)

/** What a schedule's run says. */
export const SCHEDULED_ANSWER = '按时报到'

export interface ScriptPace {
  readonly pieces: number
  readonly pieceMs: number
}

export function replyTo({ said, results }: Turn, pace: ScriptPace): Reply {
  const tag = tagIn(said.at(-1) ?? '')
  if (tag === undefined) return { text: slowly([SCHEDULED_ANSWER], pace) }
  if (results.length === 0 && !tag.startsWith('ask')) {
    return {
      calls: [
        tag.startsWith('call')
          ? { name: 'mcp__ledger__note', args: { tag } }
          : { name: 'shell', args: { command: `echo ${tag} >> count.txt` } },
      ],
    }
  }
  const words = Array.from({ length: pace.pieces }, (_, index) => `第${index + 1}段话，`)
  return { text: slowly([answerMark(tag), ...words, '完'], pace) }
}

async function* slowly(pieces: readonly string[], { pieceMs }: ScriptPace): AsyncIterable<string> {
  for (const piece of pieces) {
    await pause(pieceMs)
    yield piece
  }
}
