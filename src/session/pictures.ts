/** Pictures that people sent, as the log and the model's history hold them: as they are, within bounds. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContentPart, ModelMessage } from '../protocol/model.ts'
import { wholePicture } from '../protocol/picture.ts'
import type { LoggedMessage } from '../protocol/session-log.ts'

type LoggedFile = LoggedMessage['files'][number]

/** Larger pictures stay files that `read_file` shows when they are wanted. */
const SHOWN_BYTES = 1_500_000
const SHOWN_PER_MESSAGE = 4
/** Base64 of all pictures of one request; providers refuse bodies of some tens of megabytes. */
const REQUEST_CHARACTERS = 12_000_000

const LEFT_OUT: ContentPart = {
  type: 'text',
  text: '[an earlier picture is left out to save room; read_file shows a file of the workspace again]',
}

/** Adds the bytes of small pictures to a message's files; files that are none stay as they are. */
export async function withPictures(
  workspace: string,
  files: readonly LoggedFile[],
): Promise<readonly LoggedFile[]> {
  let shown = 0
  const out: LoggedFile[] = []
  for (const file of files) {
    const image = shown < SHOWN_PER_MESSAGE ? await readPicture(workspace, file) : undefined
    if (image) shown++
    out.push(image ? { ...file, image } : file)
  }
  return out
}

async function readPicture(workspace: string, file: LoggedFile): Promise<LoggedFile['image']> {
  if (file.kind !== 'image' && !/\.(png|jpe?g|gif|webp)$/i.test(file.name)) return undefined
  const path = join(workspace, file.path)
  const bytes = await stat(path)
    .then((found) => (found.isFile() && found.size <= SHOWN_BYTES ? readFile(path) : undefined))
    // A file that is gone or unreadable is still listed by its path.
    .catch(() => undefined)
  const facts = bytes && wholePicture(bytes)
  return bytes && facts ? { mime: facts.mime, base64: bytes.toString('base64') } : undefined
}

/**
 * Bounds the pictures of a request. When they pass the limit, all earlier ones go at once: so the
 * history changes rarely, and its beginning stays the same bytes in between.
 */
export function boundPictures(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  let characters = 0
  let from = 0
  messages.forEach((message, i) => {
    const size = pictureCharacters(message)
    if (size > 0 && characters + size > REQUEST_CHARACTERS) {
      from = i
      characters = 0
    }
    characters += size
  })
  if (from === 0) return messages
  return messages.map((message, i) => (i < from ? withoutPictures(message) : message))
}

function pictureCharacters(message: ModelMessage): number {
  if (message.role === 'assistant') return 0
  let characters = 0
  for (const part of message.content) if (part.type === 'image') characters += part.base64.length
  return characters
}

function withoutPictures(message: ModelMessage): ModelMessage {
  if (message.role === 'assistant' || pictureCharacters(message) === 0) return message
  return { ...message, content: message.content.map((part) => (part.type === 'image' ? LEFT_OUT : part)) }
}
