/** Faults that wait for their request. Knows names and counts; what a fault does is decided where it strikes. */
import type { AnswerFault } from './control.ts'

/** `gateway`: before anything is read; `request`: instead of applying; `answer`: after applying. */
export type FaultStage = 'gateway' | 'request' | 'answer'

const stageOf = (fault: AnswerFault): FaultStage => {
  if (fault.effect === 'status') return 'gateway'
  return fault.effect === 'error' ? 'request' : 'answer'
}

export interface Faults {
  add(fault: AnswerFault): void
  clear(): void
  /** Uses up the next fault of this name that strikes before the request is applied, or after, at its answer. */
  take(name: string, stage: FaultStage): AnswerFault | undefined
}

export function createFaults(): Faults {
  const waiting: { fault: AnswerFault; left: number }[] = []
  return {
    add: (fault) => {
      waiting.push({ fault, left: fault.times ?? 1 })
    },
    clear: () => {
      waiting.length = 0
    },
    take: (name, stage) => {
      const index = waiting.findIndex((item) => item.fault.name === name && stageOf(item.fault) === stage)
      const item = waiting[index]
      if (!item) return undefined
      item.left--
      if (item.left <= 0) waiting.splice(index, 1)
      return item.fault
    },
  }
}
