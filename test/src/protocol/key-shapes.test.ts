import { describe, expect, it } from 'vitest'
import { maskSecrets } from '../../../src/approval/secret-mask.ts'
import { createRedactor } from '../../../src/observability/redact.ts'
import { keysIn, maskKeys } from '../../../src/protocol/key-shapes.ts'

const JWT = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`
const redact = createRedactor([])

describe('the shapes of keys', () => {
  it.each([
    ['masked', (text: string) => keysIn(text, 9).join()],
    ['shown on cards', (text: string) => maskSecrets(text).text],
    ['written to the log', redact],
  ])('X2, F4: a megabyte that nearly is a token costs no more than any other text: %s', (_, look) => {
    const began = performance.now()
    for (const piece of ['-eyJ', '.eyJ', 'eyJaaaaaaaaaa.', 'sk-', 'ghp_aaaa-'])
      look(piece.repeat(1_000_000 / piece.length))
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it.each(['', ' ', '"', '=', ':', '(', '\n'])('a token behind %j is one', (before) => {
    expect(maskKeys(`${before}${JWT}`)).toBe(`${before}eyJa••••(${JWT.length})`)
    expect(maskSecrets(`${before}${JWT}`).text).not.toContain('bbbb')
    expect(redact(`${before}${JWT}`)).not.toContain('bbbb')
  })
})
