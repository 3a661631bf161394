/** The XML of app callbacks: writing events in the platform's manner, reading passive replies. */
import { XMLParser } from 'fast-xml-parser'
import { z } from 'zod'

/** Strings become CDATA, numbers and bigints stand bare, arrays repeat the element, objects nest, undefined is left out. */
export type XmlValue = string | number | bigint | undefined | XmlValue[] | { [name: string]: XmlValue }

function element(name: string, value: XmlValue): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map((item) => element(name, item)).join('')
  if (typeof value === 'number' || typeof value === 'bigint') return `<${name}>${value}</${name}>`
  if (typeof value === 'string')
    return `<${name}><![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]></${name}>`
  return `<${name}>${writeFields(value)}</${name}>`
}

const writeFields = (fields: { [name: string]: XmlValue }): string =>
  Object.entries(fields)
    .map(([name, value]) => element(name, value))
    .join('')

/** `<xml>…</xml>` with the fields in order. */
export const writeXml = (fields: { [name: string]: XmlValue }): string => `<xml>${writeFields(fields)}</xml>`

/** The fields of an `<xml>` document; all values are strings. Throws on anything else. */
export function readXml(text: string): Record<string, unknown> {
  const parser = new XMLParser({ parseTagValue: false, ignoreAttributes: true, processEntities: false })
  return z.looseObject({ xml: z.looseObject({}) }).parse(parser.parse(text)).xml
}
