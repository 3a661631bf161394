/** The report that the demo model writes: a real summary of the file list that a tool returned. */
import type { Translate } from '../protocol/ports.ts'

const LISTED = 200

export interface FileList {
  readonly paths: readonly string[]
  /** All there are, also those that the tool did not list. */
  readonly total: number
}

/** Reads the file list tool's result: a line with the total, then one path a line. */
export function fileList(result: string): FileList {
  const lines = result.split('\n').filter((line) => line.trim() !== '')
  const head = /^(?:at least )?(\d+) files|^No files/.exec(lines[0] ?? '')
  const paths = head ? lines.slice(1) : lines
  return { paths, total: Math.max(paths.length, Number(head?.[1] ?? 0)) }
}

/** Markdown with the count, the types by number, and the list itself. */
export function reportMarkdown(files: FileList, text: Translate): string {
  const { paths, total } = files
  const lines = [`# ${text('demo.report_title')}`, '']
  if (total === 0) {
    lines.push(text('demo.report_empty'))
  } else {
    lines.push(text('demo.report_count', { count: total }), '', `## ${text('demo.report_types')}`, '')
    for (const [type, count] of countTypes(paths, text('demo.report_no_type'))) {
      lines.push(text('demo.report_type_line', { type, count }))
    }
    lines.push('', `## ${text('demo.report_files')}`, '')
    lines.push(...paths.slice(0, LISTED).map((file) => `- ${file}`))
    const more = total - Math.min(paths.length, LISTED)
    if (more > 0) lines.push(text('demo.report_more', { count: more }))
  }
  lines.push('', `> ${text('demo.report_note')}`, '')
  return lines.join('\n')
}

function countTypes(files: readonly string[], none: string): [string, number][] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const type = /\.([^./]+)$/.exec(file)?.[1]?.toLowerCase() ?? none
    counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}
