/** The workstation tools of the chats, and what becomes of background commands that end. */
import type { MessageEvent } from '../protocol/inbound.ts'
import type { Queue } from '../queue/queue.ts'
import { insertInbox } from '../store/repositories/inbox.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import { oneLine } from '../tools/one-line.ts'
import { onShelf } from '../tools/shelves.ts'
import { chatWorkstationTools, createJobs, type JobEnd, type Jobs } from '../tools/workstation/index.ts'
import { jobState } from '../tools/workstation/job-text.ts'
import type { HouseOptions } from './house.ts'

export interface Workstation {
  readonly jobs: Jobs
  /** Those that the agent in chat has beside the built-in ones. */
  readonly source: ToolSource
}

/** The workstation tools; a finished background command wakes its session. */
export function buildWorkstation(options: HouseOptions, queue: Queue): Workstation {
  const { clock, random, logger, sandbox } = options
  const jobs = createJobs({
    ...{ clock, random, logger },
    onEnded: (end) =>
      wakeForEnd(options, queue, end).catch((error: unknown) =>
        logger.error(
          { job: end.job.id, error },
          'the chat could not be told of the end of a background command',
        ),
      ),
  })
  const tools = onShelf('workstation', chatWorkstationTools({ clock, jobs }))
  return {
    jobs,
    source: {
      tools: () => tools,
      problem: (tool) => {
        const { kind, reason } = sandbox.status()
        const needsIt = tool.risk === 'command' || tool.name === 'diff_files'
        return needsIt && tools.includes(tool) && kind === 'unavailable' ? reason : undefined
      },
    },
  }
}

/** A message to the session in the name of whoever had the command started: a run looks and reports. */
async function wakeForEnd(
  { bots, clock, store }: HouseOptions,
  queue: Queue,
  { sessionId, address, requester, others, job }: JobEnd,
): Promise<void> {
  const text = bots.text(address.botId)
  const event: MessageEvent = {
    type: 'message',
    address,
    messageId: job.id,
    // An empty name keeps the service from asking the platform for one.
    sender: { user: requester, name: '', isBot: false, isExternal: false },
    ...(others ? { others } : {}),
    text: text('jobs.ended', { id: job.id, state: jobState(job, clock), command: oneLine(job.command) }),
    mentions: [],
    mentionsBot: true,
    mentionsAll: false,
    attachments: [],
    sentAt: clock.now(),
    replyTo: '',
  }
  await insertInbox(store.db, [
    {
      dedupe: `${address.botId}:job:${sessionId}:${job.id}`,
      ...{ sessionId, botId: address.botId, kind: 'message', state: 'waiting' },
      payload: JSON.stringify(event),
      receivedAt: clock.now(),
    },
  ])
  await queue.wake(sessionId)
}
