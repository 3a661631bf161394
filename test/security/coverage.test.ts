/**
 * Every security and reliability requirement has a test that carries its id, or a line in README.md
 * beside this file that says why there is none. A new id without either fails here.
 */
import { describe, expect, it } from 'vitest'
import { explained, REQUIREMENTS, requirementList, testsById } from './requirements.ts'

describe('requirements', () => {
  const tested = testsById()
  const reasons = explained('Without a test')
  const parts = explained('Proven in part')

  it.each(REQUIREMENTS)('%s has a test by its name, or a reason', (id) => {
    expect(tested.has(id) || (reasons.get(id) ?? '').length > 20).toBe(true)
  })

  it('no reason stands for an id that has a test or does not exist', () => {
    expect([...reasons.keys()].filter((id) => tested.has(id) || !REQUIREMENTS.includes(id))).toEqual([])
  })

  it('what is proven in part has a test', () => {
    expect([...parts.keys()].filter((id) => !tested.has(id))).toEqual([])
  })

  it('the list names each of them once', () => {
    const named = [...requirementList().matchAll(/^- ([A-Z]\d+)(?= |$)/gm)].map(([, id]) => id)
    expect(named).toEqual(REQUIREMENTS)
    expect(named).toHaveLength(170)
  })
})
