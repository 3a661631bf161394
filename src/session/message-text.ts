/** A person's message as the model reads it: header, own words, then everything else fenced. Pure. */
import type { LoggedMessage } from '../protocol/session-log.ts'
import type { PromptMarks } from './prompt-marks.ts'

/**
 * The sender's own words stand free under a header; quotes, forwards, file names and notes stand in
 * labelled blocks. Times are UTC, so that the text never changes with the host.
 */
export function messageText(message: LoggedMessage, marks: PromptMarks): string {
  const at = `${new Date(message.sentAt).toISOString().slice(0, 16)}Z`
  const lines = [marks.line(`message from ${marks.quote(message.name || message.user)} at ${at}`)]
  if (message.text.trim() !== '') lines.push(marks.defuse(message.text))
  for (const part of message.context) {
    lines.push(marks.block(`untrusted ${part.kind} from ${marks.quote(part.from)}`, part.text))
  }
  if (message.files.length > 0) {
    const files = message.files.map((file) => `- ${oneLine(file.path)} (${file.kind}, ${size(file.bytes)})`)
    lines.push(marks.block('untrusted files in the workspace', files.join('\n')))
  }
  if (message.notes.length > 0) {
    lines.push(marks.block('untrusted notes', message.notes.map((note) => `- ${oneLine(note)}`).join('\n')))
  }
  return lines.join('\n')
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ')
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
