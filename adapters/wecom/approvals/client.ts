/**
 * Reads the company's approval forms through a self-built app (docs 91983, 91816). Knows paging, spans
 * and shapes; refuses to know who may ask: that is decided before.
 */
import { z } from 'zod'
import type { CallScheduler } from '../../../src/protocol/adapter.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { ApprovalsClient, OaApproval, OaApprovalQuery } from '../../../src/protocol/oa-approval.ts'
import type { Translate } from '../../../src/protocol/ports.ts'
import type { ZoneTime } from '../../../src/protocol/zone-time.ts'
import type { AppApi } from '../app-api.ts'
import type { Directory } from '../directory.ts'
import { fieldsOf } from './control.ts'
import { type FormInfo, formSchema } from './form.ts'
import { maskText } from './mask.ts'
import { formStatus, personFrom, stepsOf, userIdsOf } from './step.ts'
import { type Window, windowsOf } from './window.ts'

interface ApprovalsDeps {
  readonly api: AppApi
  readonly directory: Directory
  readonly scheduler: CallScheduler
  readonly text: Translate
  /** Of every time in a form. */
  readonly zone: Pick<ZoneTime, 'show'>
}

const PAGE = 100
/** WeCom allows 600 a minute per endpoint. */
const LIMITS = [{ calls: 500, perMs: 60_000 }]
/** More windows than this is ten years: a mistake, not a question. */
const MAX_WINDOWS = 120

const listSchema = z.looseObject({
  sp_no_list: z.array(z.coerce.string()).default([]),
  new_next_cursor: z.string().optional(),
})

/** Rejects with the platform's error; `list` with `wecom.approval_span` for more than ten years. */
export function createApprovalsClient(deps: ApprovalsDeps): ApprovalsClient {
  const read = readerOf(deps)
  return {
    list: async (query, signal, onProgress) => {
      const windows = windowsOf(query.from, query.to)
      if (windows.length > MAX_WINDOWS) {
        throw new AppError('wecom.approval_span', `a span of ${windows.length} windows`, {
          hint: 'Ask for at most ten years at once.',
        })
      }
      const found = new Set<string>()
      const filters = filtersOf(query)
      for (const [index, window] of windows.entries()) {
        await readWindow(read, window, filters, signal, (numbers) => {
          for (const number of numbers) found.add(number)
          onProgress?.(found.size, index + 1, windows.length)
          return found.size <= query.limit
        })
        if (found.size > query.limit) return { numbers: [...found].slice(0, query.limit), complete: false }
      }
      return { numbers: [...found], complete: true }
    },
    detail: async (number, signal) => {
      const { info } = formSchema.parse(await read('oa/getapprovaldetail', { sp_no: number }, signal))
      const names = await namesOf(info, deps.directory, signal)
      return approvalOf(info, number, names, deps)
    },
  }
}

/** One call of the approval API in the corp's own quota; repeating it harms nobody. */
type Read = (path: string, body: unknown, signal: AbortSignal) => Promise<unknown>

function readerOf({ api, scheduler }: ApprovalsDeps): Read {
  return (path, body, signal) =>
    scheduler.run(
      {
        buckets: [{ name: `wecom:${api.config.corpId}:${path}`, limits: LIMITS }],
        priority: 'low',
        lane: 'approvals',
        signal,
      },
      () => api.post(path, body, { repeatable: true, signal }),
    )
}

/** Every number of one window, page after page; stops when `take` says it has enough. */
async function readWindow(
  read: Read,
  window: Window,
  filters: unknown[],
  signal: AbortSignal,
  take: (numbers: readonly string[]) => boolean,
): Promise<void> {
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const body = {
      starttime: String(window.start),
      endtime: String(window.end),
      new_cursor: cursor,
      size: PAGE,
      ...(filters.length > 0 && { filters }),
    }
    const page: z.output<typeof listSchema> = listSchema.parse(await read('oa/getapprovalinfo', body, signal))
    if (!take(page.sp_no_list)) return
    // The last page has no cursor; one that does not move would go on for ever.
    cursor = page.new_next_cursor === cursor ? undefined : page.new_next_cursor || undefined
  }
}

function filtersOf(query: OaApprovalQuery): unknown[] {
  const one = (key: string, value: string | number | undefined): unknown[] =>
    value === undefined ? [] : [{ key, value: String(value) }]
  return [
    ...one('template_id', query.templateId),
    ...one('creator', query.creator?.replace(/^wecom:/, '')),
    // Only departments may repeat, and mean any of them.
    ...(query.departments ?? []).flatMap((department) => one('department', department)),
    ...one('sp_status', query.status),
    ...one('record_type', query.recordType),
  ]
}

async function namesOf(
  info: FormInfo,
  directory: Directory,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const ids = [...new Set(userIdsOf(info))]
  const names = await Promise.all(ids.map(async (id) => [id, await directory.name(id, signal)] as const))
  return new Map(names.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])))
}

function approvalOf(
  info: FormInfo,
  number: string,
  names: ReadonlyMap<string, string>,
  { text, zone }: Pick<ApprovalsDeps, 'text' | 'zone'>,
): OaApproval {
  const personOf = personFrom(names)
  return {
    number: info.sp_no || number,
    name: info.sp_name,
    statusCode: info.sp_status,
    status: formStatus(info.sp_status, text),
    applicant: personOf(info.applyer.userid),
    onBehalfOf: info.batch_applyer.map((user) => personOf(user.userid)),
    appliedAt: info.apply_time * 1_000,
    fields: fieldsOf(info.apply_data.contents, { text, zone }),
    steps: stepsOf(info, personOf, text),
    copied: info.notifyer.map((user) => personOf(user.userid)),
    comments: info.comments.map((comment) => ({
      person: personOf(comment.commentUserInfo.userid),
      at: comment.commenttime * 1_000,
      text: maskText(comment.commentcontent),
    })),
  }
}
