import { describe, expect, it } from 'vitest'
import { parseXml } from '../../../adapters/wecom/xml.ts'

describe('parseXml', () => {
  it('keeps 64-bit ids as text and CDATA as it is', () => {
    const parsed = parseXml(
      '<xml><MsgId>7450000000000000001</MsgId><Content><![CDATA[ <!DOCTYPE &x; ]]></Content></xml>',
    )

    expect(parsed).toEqual({ xml: { MsgId: '7450000000000000001', Content: ' <!DOCTYPE &x; ' } })
  })

  it('makes lists of repeating siblings, also of a single one', () => {
    const one = parseXml('<xml><Notifyer><UserId>a</UserId></Notifyer></xml>')
    const two = parseXml(
      '<xml><Notifyer><UserId>a</UserId></Notifyer><Notifyer><UserId>b</UserId></Notifyer></xml>',
    )

    expect(one).toEqual({ xml: { Notifyer: [{ UserId: 'a' }] } })
    expect(two).toEqual({ xml: { Notifyer: [{ UserId: 'a' }, { UserId: 'b' }] } })
  })

  const hostile = {
    'a DOCTYPE': '<!DOCTYPE xml [<!ENTITY a "b">]><xml>&a;</xml>',
    'an unknown entity': '<xml><A>&file;</A></xml>',
    'a numeric entity': '<xml><A>&#60;</A></xml>',
    'a comment': '<xml><!-- x --></xml>',
    'a processing instruction': '<?php x ?><xml></xml>',
    'an inclusion': '<xml><xi:include href="file:///etc/passwd"/></xml>',
    'a thousand nested tags': `${'<a>'.repeat(1_000)}${'</a>'.repeat(1_000)}`,
    'an unclosed tag': '<xml><A></xml>',
  }
  for (const [name, text] of Object.entries(hostile)) {
    it(`W11: refuses ${name}`, () => {
      expect(() => parseXml(text)).toThrow(expect.objectContaining({ code: 'wecom.bad_xml' }))
    })
  }

  it('W10: a __proto__ element changes no prototype', () => {
    try {
      parseXml('<xml><__proto__><polluted>1</polluted></__proto__></xml>')
    } catch {
      // Refusing it is as good.
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})
