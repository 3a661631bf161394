/**
 * Reports as others see them: named, checked when they are chosen, rendered without a model. The
 * report room implements {@link Reports}; schedules and previews use it.
 */
import type { Address, UserKey } from './address.ts'
import type { AppError } from './errors.ts'
import type { Clock, Locale, Logger, Translate } from './ports.ts'

/** A report that can be named in `report: <name>`. */
export interface ReportSummary {
  readonly name: string
  /** One short phrase for people. */
  readonly about: string
  /** Names of its parameters, required ones first. */
  readonly params: readonly { readonly name: string; readonly required: boolean; readonly about: string }[]
}

/** What a report is rendered for. */
export interface ReportContext {
  /** The instant that the report is about, milliseconds: the slot's, also when it runs late. */
  readonly at: number
  /** IANA name; days and weeks of the report are those of this zone. */
  readonly timezone: string
  /** Where it will be shown; decides limits and what may be read. */
  readonly address: Address
  /** Whose rights count for what may be read. */
  readonly requester: UserKey
  readonly locale: Locale
  readonly text: Translate
  readonly clock: Clock
  readonly logger: Logger
  readonly signal: AbortSignal
}

/** A picture or a file of a report, on disk (absolute path, copied before sending) or in memory. */
export type ReportFile = { readonly name: string } & (
  | { readonly path: string }
  | { readonly bytes: Uint8Array }
)

/** A finished report, ready to be sent. */
export interface RenderedReport {
  /** Sent first. Empty, partial or old data is said in here. */
  readonly markdown: string
  /** PNG or JPEG, shown inline, sent after the text in this order. */
  readonly images: readonly ReportFile[]
  /** Attachments (XLSX, PDF, CSV), sent last in this order. */
  readonly files: readonly ReportFile[]
  /** One line for histories and the lock screen. */
  readonly summary: string
  /** Text, pictures and files together, bytes. */
  readonly sizeBytes: number
}

/** All reports that are installed or saved. */
export interface Reports {
  names(): readonly ReportSummary[]
  /** Why these parameters will not do, with the place and an example; undefined when they will. */
  validate(name: string, params: Readonly<Record<string, unknown>>): AppError | undefined
  /**
   * What {@link validate} cannot see without reading: a query that the database refuses, a column that
   * is not there, rights. Reads the data once and renders nothing. Undefined when all is well; an error
   * that is `retryable` says nothing about the parameters.
   */
  check?(
    name: string,
    params: Readonly<Record<string, unknown>>,
    ctx: ReportContext,
  ): Promise<AppError | undefined>
  /** Rejects with an `AppError`: `retryable` when the source is only away. Reading twice is harmless. */
  render(name: string, params: Readonly<Record<string, unknown>>, ctx: ReportContext): Promise<RenderedReport>
}
