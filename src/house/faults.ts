/**
 * Points at which a test kills the process (`FAULT_AT=<point>` or `<point>:<n>` for the n-th time, or
 * `<point>:<n>:memory` to let it die of its heap), to prove that the next start loses and doubles nothing. Production code has no trace of them: the
 * ports between rooms are wrapped here, and only when a point is set.
 */
import type { Models } from '../model/catalogue.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Adapter, Receive } from '../protocol/adapter.ts'
import type { Model, ModelEvent } from '../protocol/model.ts'
import type { Reports } from '../protocol/report.ts'
import type { AnyTool } from '../protocol/tool.ts'
import type { Queue } from '../queue/queue.ts'
import type { Runner } from '../schedule/runner.ts'
import { openSlots } from '../store/repositories/schedule-slots.ts'
import type { Db } from '../store/store.ts'

/** Every step of the main flow with something durable on one side of it. Each has a test by its name. */
export const MAIN_FAULT_POINTS = [
  /** The event is on disk, the platform was not told. */
  'inbox_stored',
  /** The model is about to be asked. */
  'model_asked',
  /** Part of the answer has been streamed. */
  'mid_stream',
  /** The intent of a call with an effect is on disk, the call has not begun. */
  'intent_written',
  /** The effect has happened, its result is not on disk. */
  'effect_done',
  /** A person has decided, the approval is not consumed. */
  'approval_decided',
  /** The answer is in the log and may stand in the chat; its run has not ended, and its final is not queued. */
  'answer_logged',
  /** The platform has the message, the outbox does not know. */
  'message_sent',
] as const

/** The same for what happens by itself. */
export const SCHEDULE_FAULT_POINTS = [
  /** A schedule's slot is on disk, its run or report has not begun. */
  'slot_claimed',
  /** The message of a schedule's run is on disk, nobody was woken. */
  'slot_begun',
  /** A report is rendered, its messages are not in the outbox. */
  'report_rendered',
] as const

export const FAULT_POINTS = [...MAIN_FAULT_POINTS, ...SCHEDULE_FAULT_POINTS]

export type FaultPoint = (typeof FAULT_POINTS)[number]

export interface Faults {
  /** Whether any point is set; wrappers are left out otherwise. */
  readonly armed: boolean
  at(point: FaultPoint): void
}

/** Reads `FAULT_AT`; throws for an unknown point, so that a renamed one cannot pass unnoticed. */
export function createFaults(setting: string | undefined): Faults {
  if (setting === undefined || setting === '') return { armed: false, at: () => {} }
  const [name = '', nth = '1', way = 'kill'] = setting.split(':')
  if (!FAULT_POINTS.some((point) => point === name)) {
    throw new Error(`FAULT_AT names no point: ${name}; there are ${FAULT_POINTS.join(', ')}`)
  }
  let left = Number(nth)
  return {
    armed: true,
    at: (point) => {
      if (point !== name || --left !== 0) return
      if (way === 'memory') fillMemory()
      process.kill(process.pid, 'SIGKILL')
    },
  }
}

/** Never returns: the heap's limit ends the process. */
function fillMemory(): never {
  const hoard: number[][] = []
  for (;;) hoard.push(new Array<number>(100_000).fill(hoard.length))
}

/** Fault point `inbox_stored`. */
export function withReceiveFaults(receive: Receive, faults: Faults): Receive {
  if (!faults.armed) return receive
  return async (event) => {
    const receipt = await receive(event)
    faults.at('inbox_stored')
    return receipt
  }
}

/** Fault points `model_asked` and `mid_stream`. */
export function withModelFaults(models: Models, faults: Faults): Models {
  if (!faults.armed) return models
  return {
    get defaultName() {
      return models.defaultName
    },
    get names() {
      return models.names
    },
    get: (name, botId) => faultyModel(models.get(name, botId), faults),
  }
}

function faultyModel(model: Model, faults: Faults): Model {
  return {
    ...model,
    stream: async function* (request, signal): AsyncIterable<ModelEvent> {
      faults.at('model_asked')
      for await (const event of model.stream(request, signal)) {
        yield event
        if (event.type === 'text') faults.at('mid_stream')
      }
    },
  }
}

/** Fault point `message_sent`. */
export function withSendFaults(adapter: Adapter | undefined, faults: Faults): Adapter | undefined {
  if (!adapter || !faults.armed) return adapter
  return {
    ...adapter,
    send: async (to, message, options) => {
      const sent = await adapter.send(to, message, options)
      faults.at('message_sent')
      return sent
    },
    update: async (before, to, message, options) => {
      const sent = await adapter.update(before, to, message, options)
      faults.at('message_sent')
      return sent
    },
  }
}

/** Fault point `answer_logged`. */
export function withFinalFaults(outbox: Outbox, faults: Faults): Outbox {
  if (!faults.armed) return outbox
  return {
    ...outbox,
    put: async (db, row) => {
      if (row.payload.intoRun !== undefined) faults.at('answer_logged')
      await outbox.put(db, row)
    },
  }
}

/** Fault points `intent_written` and `effect_done`. */
export function withToolFaults(tools: readonly AnyTool[], faults: Faults): readonly AnyTool[] {
  if (!faults.armed) return tools
  return tools.map((tool) =>
    tool.readOnly
      ? tool
      : {
          ...tool,
          run: async (...call: Parameters<AnyTool['run']>) => {
            faults.at('intent_written')
            const result = await tool.run(...call)
            faults.at('effect_done')
            return result
          },
        },
  )
}

/** Fault point `slot_claimed`. */
export function withSlotFaults(runner: Runner, db: Db, faults: Faults): Runner {
  if (!faults.armed) return runner
  return {
    ...runner,
    advance: async (id) => {
      if ((await openSlots(db, id)).some(({ state }) => state === 'queued')) faults.at('slot_claimed')
      await runner.advance(id)
    },
  }
}

/** Wraps the queue that the schedule room uses; every wake-up through it is for a slot's session. */
export function withSlotWakeFaults(queue: Queue, faults: Faults): Queue {
  if (!faults.armed) return queue
  return {
    ...queue,
    wake: async (...given) => {
      faults.at('slot_begun')
      await queue.wake(...given)
    },
  }
}

/** Fault point `report_rendered`. */
export function withReportFaults(reports: Reports, faults: Faults): Reports {
  if (!faults.armed) return reports
  return {
    ...reports,
    render: async (...given) => {
      const rendered = await reports.render(...given)
      faults.at('report_rendered')
      return rendered
    },
  }
}
