/** One call: bind, judge, begin, run, result. Failures are results that the model reads. */
import { type AppError, isAppError } from '../../protocol/errors.ts'
import type { AnyTool, BoundCall, ToolContext, ToolError, ToolResult } from '../../protocol/tool.ts'
import type { OpenCall } from '../../session/projection.ts'
import { disciplined } from '../../tools/discipline.ts'
import type { ToolRegistry } from '../../tools/registry.ts'
import {
  errorOf,
  failedEntry,
  NOT_USABLE,
  OUTCOME_UNKNOWN,
  type ResultEntry,
  resultEntry,
  STOPPED,
} from './call-result.ts'
import { orAbort } from './or-abort.ts'
import { reportCall } from './report.ts'
import type { Run } from './run.ts'

export type ParsedCall = ReturnType<ToolRegistry['parse']>

/** A call without a result, its arguments read. */
export interface ParsedOpenCall extends OpenCall {
  readonly parsed: ParsedCall
}

export interface ReadyCall {
  readonly type: 'ready'
  readonly callId: string
  readonly tool: AnyTool
  /** As the model wrote them, and as they were read. */
  readonly written: string
  readonly args: unknown
  readonly bound: BoundCall
  readonly ctx: ToolContext
  readonly title: string
}

export interface AskedCall {
  readonly type: 'ask'
  readonly callId: string
  readonly tool: string
  readonly title: string
  readonly approvalId: string
  /** True when the log already holds this ask. */
  readonly known: boolean
}

export type Decision = ReadyCall | AskedCall | { readonly type: 'result'; readonly entry: ResultEntry }

/**
 * Decides about an open call without running it. A call that had started and may have had an effect
 * is never run again: its outcome is unknown, and both the model and the person are told.
 */
export async function decideCall(run: Run, item: ParsedOpenCall): Promise<Decision> {
  const { call, parsed } = item
  if (!parsed.ok) return refuse(run, item, call.name, parsed.error, 'failed')
  const { tool, args } = parsed
  const title = titleOf(run, tool, args)
  const ctx = contextOf(run, call.id)
  if (item.started && !tool.readOnly) return recoverCall(run, item, tool, title, ctx)
  const final = await run.tools.bind(tool, args, ctx)
  if (!final.ok) return refuse(run, item, title, final.error, 'failed')
  const ready = { type: 'ready' as const, callId: call.id, tool, written: call.arguments, args, ctx, title }
  return judge(run, item, { ...ready, bound: final.bound }, 0)
}

function contextOf(run: Run, callId: string): ToolContext {
  const ctx = run.deps.toolContext(callId)
  return run.hostFor ? { ...ctx, agents: run.hostFor(ctx) } : ctx
}

/** How a call ended that was begun before a crash: from the tool's own record, or unknown. */
async function recoverCall(
  run: Run,
  item: ParsedOpenCall,
  tool: AnyTool,
  title: string,
  ctx: ToolContext,
): Promise<Decision> {
  const found = await tool.recover?.(ctx)
  if (!found) {
    await run.emit({ type: 'status', text: run.deps.text('engine.outcome_unknown', { title }) })
    return refuse(run, item, title, OUTCOME_UNKNOWN, 'failed')
  }
  const callId = item.call.id
  await run.emit({ type: 'tool_started', callId, tool: tool.name, title })
  const status = found.ok ? 'ok' : 'failed'
  await run.emit({ type: 'tool_ended', callId, status, ms: 0 })
  const result = disciplined(found, run.deps.discipline?.redact)
  reportCall(run, { callId, tool: tool.name, args: item.call.arguments, status, ms: 0 }, result)
  return { type: 'result', entry: await resultEntry(callId, tool.name, ctx, result, 0) }
}

async function judge(run: Run, item: ParsedOpenCall, ready: ReadyCall, tries: number): Promise<Decision> {
  const { tool, bound, ctx, title, callId } = ready
  const decision = await run.deps.gate.judge(tool, bound, ctx)
  switch (decision.effect) {
    case 'ask': {
      const { approvalId } = decision
      return {
        type: 'ask',
        callId,
        tool: tool.name,
        title,
        approvalId,
        known: item.approvalId === approvalId,
      }
    }
    case 'deny': {
      const error = { type: 'refused', message: decision.reason, hint: decision.hint }
      return refuse(run, item, title, error, 'denied')
    }
    case 'allow': {
      const harmless = tool.readOnly && decision.approvalId === undefined
      if (harmless || (await run.deps.gate.begin(bound, ctx, decision.approvalId))) return ready
      // The approval was used up or withdrawn between the two calls; the gate knows by now which.
      return tries < 1 ? judge(run, item, ready, tries + 1) : refuse(run, item, title, NOT_USABLE, 'denied')
    }
  }
}

/**
 * Runs a decided call to its result. Never throws for what the tool did. Undefined when the service
 * stops during a read-only call: it stays open and runs again later.
 */
export async function executeCall(run: Run, ready: ReadyCall): Promise<ResultEntry | undefined> {
  const { callId, tool, args, ctx, bound, title } = ready
  const { clock, logger, discipline } = run.deps
  await run.emit({ type: 'tool_started', callId, tool: tool.name, title })
  const startedAt = clock.monotonic()
  const raw = await orAbort(tool.run(args, ctx, run.signal, bound), run.signal, clock).catch(
    (error: unknown): ToolResult => {
      if (isFatal(error)) throw error
      if (run.signal.aborted) return { ok: false, error: run.paused() ? OUTCOME_UNKNOWN : STOPPED }
      if (!isAppError(error)) logger.error({ tool: tool.name, callId, error: String(error) }, 'a tool threw')
      return { ok: false, error: errorOf(error) }
    },
  )
  const ms = Math.round(clock.monotonic() - startedAt)
  const result = disciplined(raw, discipline?.redact)
  const status = result.ok ? 'ok' : 'failed'
  await run.emit({ type: 'tool_ended', callId, status, ms })
  if (tool.readOnly && run.paused()) return undefined
  reportCall(run, { callId, tool: tool.name, args: ready.written, status, ms }, result)
  return resultEntry(callId, tool.name, ctx, result, ms)
}

async function refuse(
  run: Run,
  item: ParsedOpenCall,
  title: string,
  error: ToolError,
  status: 'failed' | 'denied',
): Promise<Decision> {
  const { id: callId, name: tool, arguments: args } = item.call
  await run.emit({ type: 'tool_started', callId, tool, title })
  await run.emit({ type: 'tool_ended', callId, status, ms: 0 })
  const result = disciplined({ ok: false, error }, run.deps.discipline?.redact)
  reportCall(run, { callId, tool, args, status, ms: 0 }, result)
  return { type: 'result', entry: failedEntry(callId, tool, result.ok ? error : result.error, 0) }
}

function titleOf(run: Run, tool: AnyTool, args: unknown): string {
  try {
    const title = tool.title(args, run.deps.text)
    return run.deps.discipline?.redact(title) ?? title
  } catch (error) {
    run.deps.logger.error({ tool: tool.name, error: String(error) }, 'a tool has no title for its arguments')
    return tool.name
  }
}

function isFatal(error: unknown): error is AppError {
  return isAppError(error, 'session.lease_lost')
}
