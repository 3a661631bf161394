/** Scenes of the demo model about commands that go on in the background, and the report when one ends. */
import { commandOutcome, startedJob } from './demo-outcome.ts'
import type { Scene } from './demo-stage.ts'

export const background: Scene = ({ said, text }) => {
  const words = /(?:在?后台(?:运行|执行)|run in (?:the )?background)\s*[:：]?\s*[`“"]?([^`”"]+)/i.exec(said)
  const line = words?.[1]?.split('\n')[0]?.trim()
  if (!line) return undefined
  return [
    () => ({ say: text('demo.background'), call: { tool: 'start_command', args: { command: line } } }),
    ([started = '']) => ({ say: text('demo.background_started', { id: startedJob(started) }) }),
  ]
}

/** The notice of the system that a background command has ended. */
export const backgroundEnded: Scene = ({ said, text }) => {
  const id = /(?:后台命令|Background command) (job-[a-z2-7]+) /.exec(said)?.[1]
  if (id === undefined) return undefined
  return [
    () => ({ say: '', call: { tool: 'command_status', args: { id } } }),
    ([status = '']) => ({ say: text('demo.background_ended', { id, result: commandOutcome(status, text) }) }),
  ]
}
