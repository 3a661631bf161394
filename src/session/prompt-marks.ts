/**
 * Marks in the model's input that tell lines of the service and untrusted content apart from what people typed. The
 * marks of a session contain a digest of its id; content cannot close or imitate them, because it is defused.
 */
import { createHash } from 'node:crypto'

export interface PromptMarks {
  /** A line of the service, such as a message's header. */
  line(label: string): string
  /** Content between an opening and a closing line. */
  block(label: string, content: string): string
  /** Text of people or files in which everything that looks like a mark is made harmless. */
  defuse(text: string): string
  /** A name or a title as one quoted word. */
  quote(name: string): string
}

const QUOTED = 80
const LOOKS_LIKE_MARK = /^(?=\s*\[#\S+ (?:message|untrusted|service|summary|end)\b)/gm

/** The marks of a session: the same in every turn, so that the provider's prefix cache stays valid. */
export function createPromptMarks(sessionId: string): PromptMarks {
  const mark = createHash('sha256').update(`fence:${sessionId}`).digest('hex').slice(0, 8)
  const own = new RegExp(mark, 'gi')
  const hide = (text: string): string => text.toWellFormed().replace(own, '********')
  const defuse = (text: string): string => hide(text).replace(LOOKS_LIKE_MARK, '\\')
  return {
    line: (label) => `[#${mark} ${label}]`,
    block: (label, content) => `[#${mark} ${label}]\n${defuse(content)}\n[#${mark} end]`,
    defuse,
    quote: (name) =>
      JSON.stringify(
        hide(name)
          .replace(/[\s\p{C}[\]]+/gu, ' ')
          .trim()
          .slice(0, QUOTED)
          .toWellFormed(),
      ),
  }
}
