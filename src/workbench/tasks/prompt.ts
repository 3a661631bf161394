/** The message that starts an agent on a task. It comes from no platform and is answered in no thread. */
import type { Address, UserKey } from '../../protocol/address.ts'
import type { MessageEvent } from '../../protocol/inbound.ts'
import type { Translate } from '../../protocol/ports.ts'
import type { WorkbenchTaskRow } from '../../store/schema.ts'
import { validationsOf } from './task.ts'

export interface PromptOptions {
  readonly row: WorkbenchTaskRow
  readonly key: string
  readonly runId: string
  readonly requester: UserKey
  readonly others?: readonly UserKey[] | undefined
  readonly resumed: boolean
  readonly now: number
  readonly text: Translate
}

export function promptMessage(options: PromptOptions): MessageEvent {
  const { row, key, runId, requester, others, now } = options
  return {
    type: 'message',
    address: JSON.parse(row.address) as Address,
    messageId: key,
    sender: { user: requester, isBot: false, isExternal: false },
    ...(others ? { others } : {}),
    text: promptText(options),
    mentions: [],
    mentionsBot: true,
    mentionsAll: false,
    attachments: [],
    sentAt: now,
    replyTo: '',
    scheduled: { scheduleId: row.id, slot: String(row.run_count + 1), runId },
  }
}

function promptText({ row, resumed, text }: PromptOptions): string {
  const verdict = validationsOf(row).at(-1)
  return [
    row.title,
    ...(row.description === '' ? [] : [row.description]),
    '',
    ...(row.acceptance === '' ? [] : [text('task.prompt.acceptance', { acceptance: row.acceptance })]),
    text('task.prompt.folder', { folder: row.folder ?? row.project_id }),
    ...(row.terminal_id === null ? [] : [text('task.prompt.terminal', { id: row.terminal_id })]),
    ...(verdict?.result === 'failed' && verdict.note !== ''
      ? [text('task.prompt.rejected', { note: verdict.note })]
      : []),
    text('task.prompt.rules', { id: row.id }),
    ...(resumed ? [text('task.prompt.resumed')] : []),
  ].join('\n')
}
