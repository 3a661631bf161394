/** The report that the demo model writes: a real summary of the file list that a tool returned. */
import type { Translate } from '../protocol/ports.ts'

const LISTED = 200

/** Paths in the result of the file list tool: one a line, lines that explain are left out. */
export function fileList(result: string): string[] {
  return result
    .split('\n')
    .map((line) => line.trim().replace(/^- /, ''))
    .filter((line) => line !== '' && !/[:：。]$|^[[(（]|^\d+ (files?|个)/.test(line) && !line.endsWith('/'))
}

/** Markdown with the count, the types by number, and the list itself. */
export function reportMarkdown(files: readonly string[], text: Translate): string {
  const lines = [`# ${text('demo.report_title')}`, '']
  if (files.length === 0) {
    lines.push(text('demo.report_empty'))
  } else {
    lines.push(text('demo.report_count', { count: files.length }), '', `## ${text('demo.report_types')}`, '')
    for (const [type, count] of countTypes(files, text('demo.report_no_type'))) {
      lines.push(text('demo.report_type_line', { type, count }))
    }
    lines.push('', `## ${text('demo.report_files')}`, '')
    lines.push(...files.slice(0, LISTED).map((file) => `- ${file}`))
    if (files.length > LISTED) lines.push(text('demo.report_more', { count: files.length - LISTED }))
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
