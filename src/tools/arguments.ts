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
  return refuse(`${tool.name}: ${describe(issue, tool)}.`, `For example ${example(tool)}.`)
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
    const meant = nearest(unknown, Object.keys(tool.input.shape))
    return `there is no field "${unknown}"${meant ? `, did you mean "${meant}"` : ''}`
  }
  const field = issue.path.join('.')
  return field ? `field "${field}": ${issue.message}` : issue.message
}

/** A call that would be accepted, from the examples in the schema's fields. */
function example(tool: AnyTool): string {
  const schema = exampleSchema.parse(z.toJSONSchema(tool.input, { io: 'input' }))
  const fields = schema.required.map((name) => [name, schema.properties[name]?.examples?.[0] ?? '…'])
  return JSON.stringify(Object.fromEntries(fields))
}

const exampleSchema = z.looseObject({
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), z.looseObject({ examples: z.array(z.unknown()).optional() })).default({}),
})
