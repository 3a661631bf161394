import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseXml } from '../../../adapters/wecom/xml.ts'
import { isAppError } from '../../../src/protocol/errors.ts'

const piece = fc.constantFrom(
  ...[
    '<xml>',
    '</xml>',
    '<A>',
    '</A>',
    '<A/>',
    '<__proto__>',
    '</__proto__>',
    '<constructor>',
    '</constructor>',
  ],
  ...[
    '<![CDATA[',
    ']]>',
    '<!DOCTYPE a [<!ENTITY b "c">]>',
    '&b;',
    '&lt;',
    '&#60;',
    '<?xml version="1.0"?>',
    '<?php',
  ],
  ...['<xi:include href="file:///etc/passwd"/>', '<!--', '-->', 'x', '\0', '<', '>', '你好'],
)

describe('W11: ten thousand documents', () => {
  it('are read into texts, lists and objects, or refused with a code; no prototype changes', {
    timeout: 60_000,
  }, () => {
    const document = fc.oneof(
      fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
      fc.array(piece, { maxLength: 8 }).map((pieces) => `<xml>${pieces.join('')}</xml>`),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(document, (text) => {
        let parsed: unknown
        try {
          parsed = parseXml(text)
        } catch (error) {
          if (!isAppError(error, 'wecom.bad_xml')) throw error
          return
        }
        expect(onlyTexts(parsed)).toBe(true)
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
      { numRuns: 10_000, seed: 20_260_105 },
    )
  })

  it('a text in CDATA comes out as it went in', { timeout: 60_000 }, () => {
    const words = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes(']]>') && !/\r/.test(text))
    fc.assert(
      fc.property(words, (text) => {
        const parsed = parseXml(`<xml><Content><![CDATA[${text}]]></Content></xml>`)
        expect(parsed).toEqual({ xml: { Content: text } })
      }),
      { numRuns: 2_000, seed: 20_260_105 },
    )
  })
})

function onlyTexts(value: unknown): boolean {
  if (typeof value === 'string') return true
  if (Array.isArray(value)) return value.every(onlyTexts)
  return typeof value === 'object' && value !== null && Object.values(value).every(onlyTexts)
}
