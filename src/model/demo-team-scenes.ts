/** Scenes of the demo model with a team: the one who asks it, and its members. */
import { teamAnswers } from './demo-outcome.ts'
import { fileList } from './demo-report.ts'
import type { Scene } from './demo-stage.ts'

export const team: Scene = ({ said, text }) => {
  const question = /(?:小组|团队|\bteam\b)[^:：\n]{0,12}[:：]\s*([^\n]+)/i.exec(said)?.[1]?.trim()
  if (!question || isForMember(said)) return undefined
  const members = [
    { name: text('demo.team_first'), role: text('demo.team_first_role') },
    { name: text('demo.team_second'), role: text('demo.team_second_role') },
  ]
  const teamOf = (spawned: string): string => /"team_id":"([^"]+)"/.exec(spawned)?.[1] ?? ''
  return [
    () => ({ say: text('demo.team'), call: { tool: 'spawn_team', args: { members } } }),
    ([spawned = '']) => ({
      say: text('demo.team_ask'),
      call: {
        tool: 'team_broadcast',
        args: { team_id: teamOf(spawned), message: text('demo.team_question', { question }) },
      },
    }),
    ([spawned = '']) => ({
      say: text('demo.team_close'),
      call: { tool: 'team_close', args: { team_id: teamOf(spawned) } },
    }),
    ([, answers = '']) => ({ say: text('demo.team_done', { result: teamAnswers(answers, text) }) }),
  ]
}

/** A member looks at the workspace and says what it found. */
export const teammate: Scene = ({ said, text }) => {
  if (!isForMember(said)) return undefined
  return [
    () => ({ say: text('demo.team_member_looks'), call: { tool: 'glob', args: { pattern: '*' } } }),
    ([found = '']) => ({ say: text('demo.team_member_done', { count: fileList(found).total }) }),
  ]
}

/** The words with which {@link team} addresses its members, in either language. */
function isForMember(said: string): boolean {
  return /^(请组员回答|Members, please answer)[:：]/.test(said)
}
