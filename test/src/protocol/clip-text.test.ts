import { describe, expect, it } from 'vitest'
import { clipText } from '../../../src/protocol/clip-text.ts'

describe('clipText', () => {
  it('leaves a text that fits as it is', () => {
    expect(clipText('驿站', 2)).toBe('驿站')
    expect(clipText('👍👍', 2)).toBe('👍👍')
    expect(clipText('', 0)).toBe('')
  })

  it('keeps whole characters, also those of two UTF-16 units', () => {
    expect(clipText('驿站开门', 2)).toBe('驿站…')
    expect(clipText('👍👍👍', 2)).toBe('👍👍…')
  })
})
