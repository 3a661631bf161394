/** Reads the JSON a model wrote as arguments, and tells it what was wrong in words it can act on. */
import { z } from 'zod'
import type { AnyTool, ToolError } from '../protocol/tool.ts'
import { nearest } from './nearest.ts'

export type ParsedArguments =
  | { readonly ok: true; readonly args: unknown }
  | { readonly ok: false; readonly error: ToolError }

/** Parses and checks the arguments of one call. */
export function parseArguments(tool: AnyTool, json: string): ParsedArguments {
  const value = readJson(json.trim() === '' ? '{}' : json)
  if (value === undefined) {
    return refuse(
      `The arguments of ${tool.name} are not JSON: ${brokenAt(json)}.`,
      `Send one complete JSON object, for example ${example(tool)}. If it was cut off, send less at once.`,
    )
  }
  const parsed = tool.input.safeParse(value)
  if (parsed.success) return { ok: true, args: parsed.data }
  // A misspelt field also makes the right one missing: the spelling is what must be said.
  const issues: readonly z.core.$ZodIssue[] = parsed.error.issues
  const issue = issues.find((each) => each.code === 'unrecognized_keys') ?? issues[0]
  const field = issue?.path[0]
  return refuse(
    `${tool.name}: ${describe(issue, tool)}.`,
    `For example ${example(tool, typeof field === 'string' ? field : undefined)}.`,
  )
}

const refuse = (message: string, hint: string): ParsedArguments => ({
  ok: false,
  error: { type: 'invalid_argument', message, hint },
})

/** The value, also when nothing but closing brackets is missing at the end; undefined otherwise. */
function readJson(json: string): unknown {
  for (const text of [json, `${json}${missingBrackets(json) ?? ''}`]) {
    try {
      return JSON.parse(text)
    } catch {
      // Tried next with its brackets closed, then given up.
    }
  }
  return undefined
}

/** The brackets that would close the text; undefined when it ends inside a string, where content is lost. */
function missingBrackets(json: string): string | undefined {
  const open: string[] = []
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const char = json[i]
    if (inString) {
      if (char === '\\') i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{') open.push('}')
    else if (char === '[') open.push(']')
    else if (char === '}' || char === ']') open.pop()
  }
  return inString ? undefined : open.reverse().join('')
}

function brokenAt(json: string): string {
  if (missingBrackets(json) === undefined)
    return `the text ends inside a string after ${json.length} characters`
  try {
    JSON.parse(json)
    return 'no fault found'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function describe(issue: z.core.$ZodIssue | undefined, tool: AnyTool): string {
  if (!issue) return 'the arguments do not fit'
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys[0] ?? ''
    if (issue.path.length > 0) return `there is no field "${[...issue.path, unknown].join('.')}"`
    const meant = nearest(unknown, Object.keys(tool.input.shape))
    return `there is no field "${unknown}"${meant ? `, did you mean "${meant}"` : ''}`
  }
  const field = issue.path.join('.')
  return field ? `field "${field}": ${issue.message}` : issue.message
}

/** A call that would be accepted: what it must have, and the field that was wrong. */
function example(tool: AnyTool, wrong?: string): string {
  const { required, properties } = exampleSchema.parse(z.toJSONSchema(tool.input, { io: 'input' }))
  const names = Object.keys(properties).filter((name) => required.includes(name) || name === wrong)
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, valueFor(properties[name])])))
}

/** From the field's own examples; else what its schema says is right. */
function valueFor(field: ExampleField | undefined): unknown {
  const told = field?.examples?.[0] ?? field?.default ?? field?.enum?.[0]
  if (told !== undefined) return told
  if (field?.type === 'boolean') return true
  if (field?.type === 'integer' || field?.type === 'number') return Math.max(field.minimum ?? 1, 1)
  return '…'
}

const exampleField = z.looseObject({
  type: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
})
type ExampleField = z.output<typeof exampleField>

const exampleSchema = z.looseObject({
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), exampleField).default({}),
})
