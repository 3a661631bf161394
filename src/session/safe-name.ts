/** Names that came from a sender's client, made fit for a folder. */
import type { AttachmentKind } from '../protocol/inbound.ts'

const FALLBACK: Readonly<Record<AttachmentKind, string>> = {
  image: 'image.png',
  file: 'file.bin',
  audio: 'audio.opus',
  video: 'video.mp4',
}
const MOST_BYTES = 200
/** Control, format and separator characters, path separators, and what shells and Windows choke on. */
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2800/\\:*?"<>|]/gu

/** A plain file name of at most 200 bytes that keeps its extension; never empty, never hidden, never a path. */
export function safeName(name: string | undefined, kind: AttachmentKind): string {
  const clean = (name ?? '')
    .replace(UNFIT, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '')
    .trim()
  if (clean === '') return FALLBACK[kind]
  const dot = clean.lastIndexOf('.')
  const extension = dot > 0 && clean.length - dot <= 12 ? clean.slice(dot) : ''
  return (
    cutBytes(extension ? clean.slice(0, dot) : clean, MOST_BYTES - Buffer.byteLength(extension)) + extension
  )
}

function cutBytes(text: string, limit: number): string {
  let size = 0
  let kept = ''
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > limit) break
    kept += character
  }
  return kept
}
