/**
 * The five workstation tools that are built-in tools under another name: one implementation, so one
 * behaviour. Rules of the policy that name the built-in hold for its twin too: the bound call keeps the
 * built-in's name.
 */
import { z } from 'zod'
import type { AnyTool } from '../../protocol/tool.ts'
import { commandFields, timeoutField } from '../command/bound-command.ts'
import { recoverShellResult } from '../command/recovery.ts'
import { runCommand, shellTool } from '../command/shell.ts'
import { asResult } from '../failure.ts'
import { writeFileTool } from '../files/write-file.ts'
import { createGlob } from '../search/glob.ts'
import { createGrep } from '../search/grep.ts'

/** Names by which an MCP client knows what the built-in tools are called in chat. */
const NAMES: Readonly<Record<string, string>> = {
  grep: 'search_content',
  glob: 'find_files',
  shell: 'run_command',
}

/** The tool with its neighbours called by their workstation names. */
export function inWorkstationWords(tool: AnyTool): AnyTool {
  const description = tool.description.replace(/\b(?:grep|glob|shell)\b/g, (name) => NAMES[name] ?? name)
  return { ...tool, description }
}

/** `write_file` for clients that have no edit_file. */
export const writeFileTwin: AnyTool = {
  ...writeFileTool,
  description:
    'Writes a whole text file of the workspace, making its folders; an existing file is replaced, its mode and encoding kept. ' +
    'Read it first with read_file when a part of it must stay; several files at once are better written with run_command.',
}

/** `find_files`: glob under the article's name. */
export function createFindFiles(ripgrep: string | undefined): AnyTool {
  return {
    ...createGlob(ripgrep),
    name: 'find_files',
    description:
      'Finds files by name, sorted, hidden ones too: a glob such as *.md or src/**/*.ts. ' +
      'By content: search_content; the newest one with its content: read_latest; one folder with sizes and dates: list_directory.',
  }
}

/** `search_content`: grep under the article's name. */
export function createSearchContent(ripgrep: string | undefined): AnyTool {
  return {
    ...createGrep(ripgrep),
    name: 'search_content',
    description:
      'Searches inside text files (UTF-8, UTF-16) and gives path:line: text, or with files_only just the files. Literal unless mode is regex. ' +
      'By name: find_files; to read around a match: read_file.',
  }
}

const DEFAULT_TIMEOUT_MS = 30_000
const MOST_OUTPUT = 8_000

/** `run_command`: shell with the article's defaults, and a cap of output that can be chosen. */
export function createRunCommand(): AnyTool {
  return {
    ...shellTool,
    recover: recoverShellResult,
    name: 'run_command',
    description:
      'Runs a bash command in the sandbox and waits for it; each call starts fresh, without input or terminal. Ends after 30 seconds unless timeout_ms says otherwise. ' +
      'It may need the approval of a person; deleting the workspace or the system is refused always. ' +
      'For what takes long or must go on: start_command. To read, find or search files, prefer read_file, find_files and search_content.',
    input: z.strictObject({
      ...commandFields,
      timeout_ms: timeoutField(DEFAULT_TIMEOUT_MS),
      max_output: z
        .int()
        .min(200)
        .max(MOST_OUTPUT)
        .default(MOST_OUTPUT)
        .describe(
          `Characters of output in the result, 200 to ${MOST_OUTPUT}: beginning and end are kept, the cut is marked, the whole stays readable. Default ${MOST_OUTPUT}.`,
        ),
    }),
    run: (args: { readonly max_output: number }, ctx, signal, bound) =>
      asResult(() => runCommand(bound, ctx, signal, args.max_output)),
  }
}
