/** Rows out of a JSON answer: a list of objects, or of lists under a header. Pure but for the fetch handed in. */
import { z } from 'zod'
import { isAppError } from '../../protocol/errors.ts'
import type { Table } from '../table.ts'
import { sourceUnavailable, sourceUnreadable } from './failure.ts'
import { createGatherer } from './gather.ts'
import type { ReadLimits } from './source.ts'

/** The part of the guarded fetch that is used here. */
export type JsonFetch = (
  url: string,
  request: {
    maxBytes: number
    timeoutMs: number
    headers: Readonly<Record<string, string>>
    signal: AbortSignal
  },
) => Promise<{ readonly status: number; readonly body: Uint8Array }>

export interface JsonSource {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Dotted way to the list; empty when the answer is the list. */
  readonly rows: string
}

export async function readJson(
  source: JsonSource,
  limits: ReadLimits,
  fetch: JsonFetch,
  signal: AbortSignal,
): Promise<Table> {
  const { headers } = source
  const answer = await fetch(source.url, {
    ...{ maxBytes: limits.bytes, timeoutMs: limits.timeoutMs, signal },
    headers: { accept: 'application/json', ...headers },
  }).catch((error: unknown) => {
    throw isAppError(error) && error.retryable ? sourceUnavailable(source.name, error.message, error) : error
  })
  if (answer.status < 200 || answer.status > 299)
    throw sourceUnavailable(source.name, `HTTP ${answer.status}`)
  return tableOfJson(parsed(answer.body, source.name), source, limits)
}

function parsed(body: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw sourceUnreadable(name, 'not JSON', 'The address must answer with JSON in UTF-8.')
  }
}

const object = z.record(z.string(), z.unknown())

export function tableOfJson(
  answer: unknown,
  source: Pick<JsonSource, 'name' | 'rows'>,
  limits: ReadLimits,
): Table {
  const found = source.rows === '' ? answer : inside(answer, source)
  const list = z.array(object).safeParse(found)
  if (!list.success) {
    throw sourceUnreadable(
      source.name,
      `no list of objects at "${source.rows || '(top)'}"`,
      'Set "rows" to where the list is, e.g. data.items.',
    )
  }
  const columns = [...new Set(list.data.slice(0, 1_000).flatMap((row) => Object.keys(row)))]
  const gatherer = createGatherer(limits)
  for (const row of list.data) if (!gatherer.add(columns.map((column) => row[column]))) break
  return gatherer.table(columns)
}

function inside(answer: unknown, { name, rows }: Pick<JsonSource, 'name' | 'rows'>): unknown {
  return rows.split('.').reduce<unknown>((value, key) => {
    const here = object.safeParse(value)
    if (here.success && Object.hasOwn(here.data, key)) return here.data[key]
    const keys = here.success ? Object.keys(here.data).slice(0, 20).join(', ') : ''
    throw sourceUnreadable(name, `nothing at "${key}" of "${rows}"`, `There is: ${keys || 'no object'}.`)
  }, answer)
}
