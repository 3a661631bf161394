/** Scenes of the demo model that remember and recall. */
import { foundFacts } from './demo-outcome.ts'
import type { Scene } from './demo-stage.ts'

export const remember: Scene = ({ said, text }) => {
  const words =
    /(?:记住|记一下|\bremember(?: that)?\b)\s*[:：,，]?\s*([^\n]{1,80}?)\s*(?:是|为|＝|=|\bis\b)\s*([^\n]+)/i.exec(
      said,
    )
  const [, key, value] = words ?? []
  if (!key || !value) return undefined
  const fact = { key: key.trim(), value: value.replace(/[。.!！]+$/, '').trim() }
  return [
    () => ({ say: text('demo.remember'), call: { tool: 'remember_fact', args: fact } }),
    () => ({ say: text('demo.remember_done', fact) }),
  ]
}

export const recall: Scene = ({ said, text }) => {
  const what =
    /(?:还记得|记得|回忆|\brecall\b|\bdo you remember\b)\s*[:：]?\s*([^\n]+?)\s*(?:吗|么|是谁|是什么)?\s*[?？。]*$/i.exec(
      said,
    )?.[1]
  if (!what) return undefined
  return [
    () => ({ say: text('demo.recall'), call: { tool: 'recall_memory', args: { query: what } } }),
    ([found = '']) => {
      const facts = foundFacts(found)
      return { say: facts ? text('demo.recall_done', { result: facts }) : text('demo.recall_none') }
    },
  ]
}
