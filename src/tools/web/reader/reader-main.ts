/**
 * A thread of its own for other people's documents: what is too large or too deep for a parser ends
 * this thread and not the service.
 */
import { parentPort } from 'node:worker_threads'
import { decodePage } from './charset.ts'
import type { ReadText } from './page.ts'
import type { ReadJob, ReadReply } from './reader.ts'

/** Longest text that is handed back; the rest is counted and said. Characters. */
const MOST_CHARACTERS = 2_000_000

// Most documents are pages: what reads them is loaded before the first one has arrived.
import('./page.ts').catch(() => undefined)

parentPort?.on('message', (job: ReadJob) => {
  read(job).then(
    (result) => reply({ ok: true, ...bounded(result) }),
    (error: unknown) => reply({ ok: false, reason: error instanceof Error ? error.message : String(error) }),
  )
})

function reply(message: ReadReply): void {
  parentPort?.postMessage(message)
}

async function read({ kind, body, contentType, url }: ReadJob): Promise<ReadText> {
  switch (kind) {
    case 'html':
      return (await import('./page.ts')).readPage(body, contentType, url)
    case 'text':
      return { title: '', text: decodePage(body, contentType) }
    case 'pdf':
      return (await import('./pdf.ts')).readPdf(body)
    case 'docx':
      return (await import('./office.ts')).readWord(body)
    case 'xlsx':
    case 'xls':
      return (await import('./office.ts')).readWorkbook(body, kind)
    case 'pptx':
      return (await import('./office.ts')).readSlides(body)
  }
}

function bounded({ title, text }: ReadText): ReadText & { readonly leftOut: number } {
  const leftOut = Math.max(0, text.length - MOST_CHARACTERS)
  return { title, text: (leftOut > 0 ? text.slice(0, MOST_CHARACTERS) : text).toWellFormed(), leftOut }
}
