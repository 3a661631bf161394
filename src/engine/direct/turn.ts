/** One model turn: request, stream, log entry. */
import { isAppError } from '../../protocol/errors.ts'
import type { ModelRequest, StopReason, ToolCall, Usage } from '../../protocol/model.ts'
import { projectMessages } from '../../session/projection.ts'
import { ownCalls } from './call-id.ts'
import { compactAfterOverflow, offeredSpecs } from './context-limit.ts'
import type { Ending } from './ending.ts'
import type { Run } from './run.ts'
import { reportUsage } from './turn-usage.ts'

export type Turn =
  /** The model called tools; their entries are open. */
  | { readonly type: 'calls' }
  /** The model answered. */
  | { readonly type: 'final'; readonly ending: Ending }
  /** Neither; the model was told. */
  | { readonly type: 'empty' }

interface Reply {
  text: string
  reasoning: string
  signature: string
  calls: ToolCall[]
  stop: StopReason
  usage: Usage | undefined
}

/** Tries of one step after an answer broke off; tries before its first byte are the model's own. */
const MAX_BREAKS = 2
const PULSE_MS = 10_000

/** Makes one request to the model and appends its reply. Throws the model's `AppError` when it cannot be answered. */
export async function takeTurn(run: Run): Promise<Turn> {
  const step = run.meter.step()
  const reply = await askPatiently(run, step)
  await reportUsage(run, reply.usage)
  const toolCalls = ownCalls(reply.calls, run.deps.random)
  if (toolCalls.length === 0 && reply.text.trim() === '') return emptyReply(run, reply.stop)
  const entry = {
    type: 'assistant',
    text: reply.text.toWellFormed(),
    ...(reply.reasoning ? { reasoning: reply.reasoning } : {}),
    ...(reply.signature ? { reasoningSignature: reply.signature } : {}),
    toolCalls,
    model: run.deps.model.name,
    ...(reply.usage ? { usage: reply.usage } : {}),
  } as const
  await run.session.append(entry)
  run.partial = ''
  run.meter.add(entry)
  if (toolCalls.length > 0) return { type: 'calls' }
  const cut = reply.stop === 'length' ? `\n\n${run.deps.text('engine.answer_cut')}` : ''
  return { type: 'final', ending: { outcome: 'done', text: entry.text + cut } }
}

/** Repeats the request after an interrupted answer (at most twice) and after a context overflow (once). */
async function askPatiently(run: Run, step: number): Promise<Reply> {
  let breaks = 0
  let overflowed = false
  for (;;) {
    await run.emit({ type: 'turn', step })
    const progress = { begun: false }
    try {
      return await ask(run, request(run), progress)
    } catch (error) {
      run.signal.throwIfAborted()
      if (isAppError(error, 'model.overflow') && !overflowed) {
        overflowed = true
        if (await compactAfterOverflow(run)) continue
      }
      const broken =
        isAppError(error, 'model.interrupted') || (isAppError(error, 'model.silent') && progress.begun)
      if (!broken || breaks >= MAX_BREAKS) throw error
      breaks += 1
      await run.emit({ type: 'status', text: run.deps.text('engine.answer_broken') })
    }
  }
}

function request(run: Run): ModelRequest {
  const { model, system } = run.deps
  const options = { sessionId: run.session.sessionId, model: model.name, memo: run.memo.messages }
  return {
    system,
    messages: projectMessages(run.session.entries(), options),
    tools: offeredSpecs(run),
    // A profile's output limit may be larger than a small model's whole context.
    maxOutputTokens: Math.min(model.maxOutputTokens, Math.floor(model.contextTokens / 2)),
  }
}

async function ask(run: Run, body: ModelRequest, progress: { begun: boolean }): Promise<Reply> {
  const reply: Reply = { text: '', reasoning: '', signature: '', calls: [], stop: 'end', usage: undefined }
  run.partial = ''
  const heartbeat = createHeartbeat(run)
  for await (const event of run.deps.model.stream(body, run.signal)) {
    progress.begun ||= event.type !== 'retry'
    switch (event.type) {
      case 'text':
        reply.text += event.delta
        run.partial = reply.text
        await run.emit({ type: 'text', delta: event.delta })
        break
      case 'reasoning':
        reply.reasoning += event.delta
        reply.signature += event.signature ?? ''
        await heartbeat('engine.reasoning')
        break
      case 'progress':
        await heartbeat('engine.preparing_call')
        break
      case 'tool_call':
        reply.calls.push(event.call)
        break
      case 'retry':
        await run.emit({ type: 'status', text: retryText(run, event.code, event.waitMs) })
        break
      case 'done':
        reply.stop = event.stop
        reply.usage = event.usage
    }
  }
  return reply
}

/** Reports now and then that the model is doing something invisible, such as reasoning. */
function createHeartbeat(run: Run): (key: string) => Promise<void> {
  let saidAt = run.deps.clock.monotonic()
  return async (key) => {
    const now = run.deps.clock.monotonic()
    if (now - saidAt < PULSE_MS) return
    saidAt = now
    await run.emit({ type: 'status', text: run.deps.text(key) })
  }
}

function retryText(run: Run, code: string, waitMs: number): string {
  const key = code === 'model.rate_limited' ? 'engine.retry_limited' : 'engine.retry_unavailable'
  return run.deps.text(key, { seconds: Math.max(1, Math.round(waitMs / 1000)) })
}

async function emptyReply(run: Run, stop: StopReason): Promise<Turn> {
  if (stop === 'refusal') {
    const text = run.deps.text('engine.refused')
    return {
      type: 'final',
      ending: { outcome: 'failed', text, reason: 'model.refused', note: 'The model refused.' },
    }
  }
  const note =
    stop === 'length'
      ? 'Your reply reached the output limit before it said anything. Answer briefly, or work in smaller steps.'
      : 'Your reply was empty. Answer the person, or call a tool.'
  await run.session.append({ type: 'note', text: note })
  return { type: 'empty' }
}
