import { describe, expect, it } from 'vitest'
import type { Health } from './health.ts'
import { trendsOf } from './trend.ts'

const looks = (memoryMb: (minute: number) => number, handles = (_minute: number) => 30): Health[] =>
  Array.from({ length: 20 }, (_, minute) => ({
    ...{ at: minute * 60_000, processes: 3, temporaryFiles: 1 },
    ...{ memoryMb: memoryMb(minute), handles: handles(minute) },
  }))
const uneven = (health: Health[]): string[] =>
  trendsOf(health).flatMap(({ measure, isFlat }) => (isFlat ? [] : [measure]))

describe('the verdict of a soak', () => {
  it('is flat for saw teeth and for a rise that ends with the warm-up', () => {
    expect(uneven(looks((minute) => 120 + 10 * (minute % 3)))).toEqual([])
    expect(uneven(looks((minute) => Math.min(190, 100 + 10 * minute)))).toEqual([])
  })

  it('is not fooled by a single peak, and sees a slow leak through the teeth', () => {
    expect(uneven(looks((minute) => (minute === 15 ? 400 : 120)))).toEqual([])
    expect(uneven(looks((minute) => 120 + 10 * (minute % 3) + minute))).toEqual(['memoryMb'])
    expect(uneven(looks((minute) => 120 + 3 * (minute % 2) + (minute < 15 ? 0 : 9)))).toEqual(['memoryMb'])
  })

  it('counts handles one by one', () => {
    expect(
      uneven(
        looks(
          () => 120,
          (minute) => 30 + Math.floor(minute / 2),
        ),
      ),
    ).toEqual(['handles'])
  })

  it('says nothing about a run that was too short', () => {
    expect(() => trendsOf(looks(() => 1).slice(0, 14))).toThrow('too few')
  })
})
