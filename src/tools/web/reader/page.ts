/** HTML → Markdown: the article without menus and advertisements, tables and code kept. */
import { Defuddle } from 'defuddle/node'
import { parseHTML } from 'linkedom'
import { decodePage } from './charset.ts'

export interface ReadText {
  readonly title: string
  readonly text: string
}

/** An article shorter than this, and than half of the page's own words, is probably not the content. */
const FEW_CHARACTERS = 200

/** What is used of a DOM element; the types of browsers are not part of this program. */
interface PageElement {
  readonly textContent: string | null
  querySelectorAll(selector: string): Iterable<{ remove(): void }>
}

/** Never asks the network: extractors that call other services are off, and have no fetch to call. */
export async function readPage(body: Uint8Array, contentType: string, url: string): Promise<ReadText> {
  const html = withBody(decodePage(body, contentType))
  const page = await Defuddle(parseHTML(html).document, url, {
    markdown: true,
    useAsync: false,
    fetch: () => Promise.reject(new Error('a page is read without the network')),
  })
  const article = page.content.trim()
  if (article.length >= FEW_CHARACTERS) return { title: page.title, text: article }
  const everything = plainText(html)
  return { title: page.title, text: article.length * 2 < everything.length ? everything : article }
}

/** HTML may leave `html`, `head` and `body` out; the parser here needs them written. */
function withBody(html: string): string {
  if (/<body[\s>]/i.test(html)) return html
  const bare = html.replace(/<!doctype[^>]*>|<\/?html(?:\s[^>]*)?>/gi, '')
  const head = /<head(?:\s[^>]*)?>[\s\S]*?<\/head>/i.exec(bare)?.[0]
  const title = /<title(?:\s[^>]*)?>[^<]*<\/title>/i.exec(bare)?.[0] ?? ''
  const rest = bare.replace(head ?? title, '')
  return `<!doctype html><html>${head ?? `<head>${title}</head>`}<body>${rest}</body></html>`
}

/** The words of a page without its structure, for pages that are no articles. */
function plainText(html: string): string {
  const body: PageElement = parseHTML(html).document.body
  for (const noise of body.querySelectorAll('script, style, noscript, template, svg')) noise.remove()
  return (body.textContent ?? '')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join('\n')
}
