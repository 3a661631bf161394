import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolNames } from '../../../../src/mcp/client/tool-name.ts'

const name = (server: string, tool: string): string => toolNames(server, [tool]).get(tool) ?? ''

describe('names of tools of other servers', () => {
  it('plain names stay readable', () => {
    expect(name('files', 'read_text_file')).toBe('mcp__files__read_text_file')
    expect(name('everything', 'get-sum')).toBe('mcp__everything__get-sum')
  })

  it('M2: homoglyphs, spaces, `__` and long names carry a digest of what they really are', () => {
    expect(name('files', 'r\u0435ad')).toMatch(/^mcp__files__r_ad_[0-9a-f]{6}$/)
    expect(name('a__b', 'c')).toMatch(/^mcp__a_b_[0-9a-f]{6}__c$/)
    expect(name('笔记', '查询')).toMatch(/^mcp__x_[0-9a-f]{6}__x_[0-9a-f]{6}$/)
    expect(name('Files', 'read')).not.toBe(name('files', 'read'))
  })

  it('M2: twins by case are told apart, whatever the order', () => {
    const one = toolNames('files', ['read', 'Read', 'write'])
    const other = toolNames('files', ['write', 'Read', 'read'])
    expect(one.get('read')).toMatch(/^mcp__files__read_[0-9a-f]{6}$/)
    expect(one.get('read')?.toLowerCase()).not.toBe(one.get('Read')?.toLowerCase())
    expect(Object.fromEntries(one)).toEqual(Object.fromEntries(other))
  })

  it('every name is legal everywhere, and two tools never share one', () => {
    const word = fc.string({ minLength: 1, maxLength: 90, unit: 'binary' })
    fc.assert(
      fc.property(word, word, word, word, (server, tool, otherServer, otherTool) => {
        const a = name(server, tool)
        const b = name(otherServer, otherTool)
        expect(a).toMatch(/^mcp__[a-z0-9_-]+?__[A-Za-z0-9_-]+$/)
        expect(a.length).toBeLessThanOrEqual(64)
        if (server !== otherServer || tool !== otherTool) expect(a).not.toBe(b)
      }),
      { numRuns: 500 },
    )
  })
})
