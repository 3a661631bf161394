import { describe, expect, it } from 'vitest'
import {
  createFaults,
  FAULT_POINTS,
  withFinalFaults,
  withReceiveFaults,
  withSendFaults,
  withToolFaults,
} from '../../../src/house/faults.ts'
import type { AnyTool } from '../../../src/protocol/tool.ts'
import { createRecordingAdapter } from '../../support/recording-adapter.ts'

const never = (): never => {
  throw new Error('nobody called this')
}

describe('createFaults', () => {
  it.each([undefined, ''])('%j arms nothing, and wraps nothing', (setting) => {
    const faults = createFaults(setting)
    const adapter = createRecordingAdapter()
    const receive = async () => ({})
    const tools: AnyTool[] = []
    const outbox = { put: never, flush: never, closed: never, start: never, stop: never }
    expect(faults.armed).toBe(false)
    expect(withReceiveFaults(receive, faults)).toBe(receive)
    expect(withSendFaults(adapter, faults)).toBe(adapter)
    expect(withToolFaults(tools, faults)).toBe(tools)
    expect(withFinalFaults(outbox, faults)).toBe(outbox)
    for (const point of FAULT_POINTS) faults.at(point)
  })

  it('an unknown point is refused, so that a renamed one cannot pass unnoticed', () => {
    expect(() => createFaults('inbox_stord')).toThrow('FAULT_AT names no point: inbox_stord')
  })

  it('other points than the one that is set pass', () => {
    const faults = createFaults('message_sent:2')
    expect(faults.armed).toBe(true)
    for (const point of FAULT_POINTS) faults.at(point)
  })
})
