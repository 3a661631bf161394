/** PDF → text, page by page. */
import { extractText, getDocumentProxy } from 'unpdf'
import type { ReadText } from './page.ts'

/** Chinese PDFs often hold radicals (⽂) for characters (文): NFKC makes them searchable. */
export async function readPdf(body: Uint8Array): Promise<ReadText> {
  const document = await getDocumentProxy(Uint8Array.from(body))
  const { text } = await extractText(document, { mergePages: false })
  const pages = text.map((page, i) => `[page ${i + 1}]\n${page.normalize('NFKC').trim()}`)
  const empty = text.every((page) => page.trim() === '')
  return {
    title: '',
    text: empty ? `(${text.length} pages without text, perhaps scanned)` : pages.join('\n\n'),
  }
}
