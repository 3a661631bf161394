import { describe, expect, it } from 'vitest'
import { canonicalCall } from '../../../src/approval/canonical-call.ts'
import { bound, group } from './fixture.ts'

describe('C10: the digest', () => {
  const scope = { sessionId: 's1', callId: 'c1', address: group }
  const { digest } = canonicalCall(bound, scope)

  it.each([
    ['a trailing space', { command: 'rm -r build ' }],
    ['other arguments', { args: { command: 'rm -r build', background: true } }],
    ['another folder', { cwd: '/w/s1/x' }],
    ['the same path, another inode', { cwdId: '1:3' }],
    ['an added variable', { env: { A: 'b' } }],
    ['another limit', { timeoutMs: 60_001 }],
    ['another sandbox', { sandboxProfile: 'none' }],
    ['an edited script', { files: { '/w/s1/x.sh': 'abc' } }],
    ['another path', { paths: ['/w/s1/y'] }],
    ['another tool', { tool: 'shell2' }],
    ['a look-alike', { command: 'rm -r bui\u217Cd' }],
  ])('changes with %s', (_name, change) => {
    expect(canonicalCall({ ...bound, ...change }, scope).digest).not.toBe(digest)
  })

  it('changes with the call id, the session and the chat', () => {
    expect(canonicalCall(bound, { ...scope, callId: 'c2' }).digest).not.toBe(digest)
    expect(canonicalCall(bound, { ...scope, sessionId: 's2' }).digest).not.toBe(digest)
    expect(canonicalCall(bound, { ...scope, address: { ...group, chatId: 'oc_2' } }).digest).not.toBe(digest)
    expect(canonicalCall(bound, { ...scope, callId: 'c2' }).sameness).toBe(
      canonicalCall(bound, scope).sameness,
    )
  })

  it('does not change with the order of keys', () => {
    const reordered = Object.fromEntries(Object.entries(bound).reverse()) as typeof bound
    expect(canonicalCall(reordered, scope).digest).toBe(digest)
  })
})
