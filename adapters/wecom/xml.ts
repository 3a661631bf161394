/** Reads the XML of app callbacks. Everything that XML can do beyond elements and CDATA is refused. */
import { XMLParser } from 'fast-xml-parser'
import { AppError } from '../../src/protocol/errors.ts'

/** Deepest real payload is about six levels; a bound keeps hostile nesting cheap. */
const MAX_DEPTH = 24

/** Elements that repeat as siblings, one or many (doc 91815): always arrays. */
const REPEATING = new Set(['SpRecord', 'Details', 'Notifyer', 'Comments', 'SelectedItem', 'OptionId'])

/** Parses a document into plain objects; every value stays a string. Throws `wecom.bad_xml`. */
export function parseXml(text: string): unknown {
  refuseActiveXml(text)
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    trimValues: false,
    processEntities: false,
    maxNestedTags: MAX_DEPTH,
    isArray: (name) => REPEATING.has(name),
  })
  try {
    return parser.parse(text, true)
  } catch (cause) {
    throw badXml('not well-formed', cause)
  }
}

/** Looks only at what stands outside CDATA: people may write `<!DOCTYPE` in a message. */
function refuseActiveXml(text: string): void {
  const skeleton = text.replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, '')
  if (skeleton.includes('<!')) throw badXml('declarations are not accepted')
  if (/<\?(?!xml\s)/i.test(skeleton)) throw badXml('processing instructions are not accepted')
  if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(skeleton)) throw badXml('entities are not accepted')
  if (/<xi:/i.test(skeleton)) throw badXml('inclusions are not accepted')
}

function badXml(reason: string, cause?: unknown): AppError {
  return new AppError('wecom.bad_xml', `XML refused: ${reason}`, { cause })
}
