/**
 * Prompts for usual jobs, which clients offer as commands: each needs tools, and a caller without them
 * does not see it (M11). The words are for a model; what they ask for is judged like every other call.
 */
import type { Translate } from '../../protocol/ports.ts'

export interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

export interface PromptView {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

interface Prompt {
  readonly name: string
  readonly needs: readonly string[]
  /** Names of its arguments; all are required. */
  readonly takes: readonly string[]
}

const PROMPTS: readonly Prompt[] = [
  { name: 'look_around', needs: ['list_directory', 'system_status', 'environment_static'], takes: [] },
  { name: 'run_and_explain', needs: ['run_command'], takes: ['command'] },
  { name: 'ask_the_agent', needs: ['run_agent', 'agent_result'], takes: ['task'] },
  {
    name: 'delegate_task',
    needs: ['workspace_list', 'task_list', 'task_create', 'task_execute'],
    takes: ['task'],
  },
]

const LONGEST = 20_000

/** Prompts for whoever has these tools. */
export function promptsFor(tools: ReadonlySet<string>, text: Translate): readonly PromptView[] {
  return PROMPTS.filter(({ needs }) => needs.every((tool) => tools.has(tool))).map(({ name, takes }) => ({
    name,
    title: text(`mcp.prompt.${name}`),
    description: text(`mcp.prompt.${name}.about`),
    arguments: takes.map((argument) => ({
      name: argument,
      description: text(`mcp.prompt.argument.${argument}`),
      required: true,
    })),
  }))
}

/** The words of a prompt; undefined for one that this caller does not have, or without its arguments. */
export function promptWords(
  tools: ReadonlySet<string>,
  name: string,
  given: Readonly<Record<string, string>>,
  text: Translate,
): string | undefined {
  const prompt = promptsFor(tools, text).find((one) => one.name === name)
  if (!prompt) return undefined
  const values = prompt.arguments.map(
    (argument) => [argument.name, (given[argument.name] ?? '').trim()] as const,
  )
  if (values.some(([, value]) => value === '' || value.length > LONGEST)) return undefined
  return text(`mcp.prompt.${name}.words`, Object.fromEntries(values))
}
