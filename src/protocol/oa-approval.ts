/** The company's own approval forms (leave, purchase …), as a platform's approval app holds them. */
import type { UserKey } from './address.ts'

/** Which approval forms to look for. */
export interface OaApprovalQuery {
  /** Submission time, milliseconds, both ends included. Any span. */
  readonly from: number
  readonly to: number
  readonly templateId?: string
  readonly creator?: UserKey
  /** Any of these departments. */
  readonly departments?: readonly string[]
  readonly status?: number
  readonly recordType?: number
  /** Most numbers to collect. */
  readonly limit: number
}

/** Numbers of the forms that were found. */
export interface OaApprovalList {
  /** In order of submission, each once. */
  readonly numbers: readonly string[]
  /** False when `limit` ended the search. */
  readonly complete: boolean
}

/** Somebody named in a form. */
export interface OaPerson {
  readonly user: UserKey
  /** Display name, or the platform id when the name may not be looked up. */
  readonly name: string
}

/** One step of a form's approval flow. */
export interface OaStep {
  readonly kind: 'approver' | 'copy' | 'handler' | 'other'
  readonly status: string
  /** True while the step is under way, where the platform says so. */
  readonly open?: boolean
  /** How several people count, as far as the platform says so without doubt. */
  readonly rule?: string
  readonly people: readonly {
    readonly person: OaPerson
    readonly status: string
    readonly comment: string
    /** Milliseconds; undefined while pending. */
    readonly at?: number
  }[]
}

/** An approval form with its fields and its flow. */
export interface OaApproval {
  /** Always text: numbers exceed what JavaScript counts exactly. */
  readonly number: string
  readonly name: string
  readonly statusCode: number
  /** Localised. */
  readonly status: string
  readonly applicant: OaPerson
  /** People the form was filed for, when somebody else filed it. */
  readonly onBehalfOf: readonly OaPerson[]
  readonly appliedAt: number
  /** Rendered and masked: bank accounts and telephone numbers never appear whole. */
  readonly fields: readonly { readonly title: string; readonly value: string }[]
  readonly steps: readonly OaStep[]
  readonly copied: readonly OaPerson[]
  readonly comments: readonly { readonly person: OaPerson; readonly at: number; readonly text: string }[]
}

/** Reads approval forms. Rejects with an `AppError` that says what an admin must grant. */
export interface ApprovalsClient {
  list(
    query: OaApprovalQuery,
    signal: AbortSignal,
    onProgress?: (found: number, window: number, windows: number) => void,
  ): Promise<OaApprovalList>
  detail(number: string, signal: AbortSignal): Promise<OaApproval>
}
