import type { Logger } from '../../src/protocol/ports.ts'

export interface CollectedLine {
  level: 'debug' | 'info' | 'warn' | 'error'
  message: string
  fields: Record<string, unknown>
}

/** A logger whose lines a test can read. */
export function createCollectingLogger(
  lines: CollectedLine[] = [],
  bound: object = {},
): Logger & { lines: CollectedLine[] } {
  const at =
    (level: CollectedLine['level']) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, fields: { ...bound, ...fields } })
    }
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => createCollectingLogger(lines, { ...bound, ...fields }),
  }
}
