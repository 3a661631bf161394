/** The nouns of the approval app (审批): templates, forms, controls. Wire names where the value is passed through. */

export interface LangText {
  text: string
  lang: string
}

interface SelectorValue {
  type: 'single' | 'multi'
  options: { key: string; value: LangText[] }[]
}

interface DateRangeValue {
  type: 'halfday' | 'hour'
  new_begin: number
  new_end: number
  new_duration: number
}

interface AttendanceValue {
  date_range: DateRangeValue
  /** 1 leave, 3 trip, 4 out, 5 overtime. */
  type: 1 | 3 | 4 | 5
  slice_info?: { duration: number; state: number; day_items: { daytime: number; duration: number }[] }
}

/** Value by control type, in the platform's own shape (doc 91983). Numbers and money are strings. */
export interface FormValues {
  Text: { text: string }
  Textarea: { text: string }
  Number: { new_number: string }
  Money: { new_money: string }
  Date: { date: { type: 'day' | 'hour'; s_timestamp: string } }
  Selector: { selector: SelectorValue }
  Contact:
    | { members: { userid: string; name: string }[] }
    | { departments: { openapi_id: string; name: string }[] }
  Tips: Record<string, never>
  /** `file_id` is made by the simulator from the bytes; see `FormInput.files`. */
  File: { files: { file_id: string }[] }
  Table: { children: { list: FormControl[] }[] }
  Vacation: { vacation: { selector: SelectorValue & { exp_type?: number }; attendance: AttendanceValue } }
  Attendance: { attendance: AttendanceValue }
  PunchCorrection: {
    punch_correction: { state: string; time: number; version?: number; daymonthyear?: number }
  }
  DateRange: { date_range: DateRangeValue }
  Location: {
    location: { latitude: string; longitude: string; title: string; address: string; time: number }
  }
  RelatedApproval: { related_approval: { sp_no: string }[] }
  Formula: { formula: { value: string } }
  BankAccount: {
    bank_account: {
      account_type: 1 | 2
      account_name: string
      account_number: string
      remark?: string
      bank: Record<string, string>
    }
  }
}

export type KnownControl = {
  [K in keyof FormValues]: { control: K; id: string; title: string; value: FormValues[K] }
}[keyof FormValues]

/** A control that today's documents do not know; a reader must skip it. */
export interface FutureControl {
  control: `Future${string}`
  id: string
  title: string
  value: Record<string, unknown>
}

export type FormControl = KnownControl | FutureControl

export interface TemplateControl {
  control: string
  id: string
  title: string
  placeholder?: string
  required?: boolean
  /** As in `config` of doc 91982, e.g. `{ selector: { type, options } }`. */
  config?: Record<string, unknown>
}

export interface FormTemplate {
  templateId: string
  name: string
  controls: TemplateControl[]
}

/** One step of the approval flow. */
export interface FormStep {
  /** `any`: one approver is enough (或签); `all`: everyone must agree (会签). */
  rule: 'any' | 'all'
  approvers: string[]
}

export interface FormInput {
  templateId: string
  applicant: string
  /** Filing time in milliseconds since 1970; default the clock's now. */
  filedAt?: number
  /** The applicant's department; default the main one. */
  department?: number
  steps: FormStep[]
  notify?: string[]
  contents: FormControl[]
  /** Bytes behind the `file_id`s used in `contents`, by id. */
  files?: Record<string, { name: string; bytes: Uint8Array }>
  /** 1 leave … 9 red-packet reimbursement; for the `record_type` filter. */
  recordType?: number
}

/** 1 in progress, 2 approved, 3 rejected, 4 withdrawn, 6 withdrawn after approval, 7 deleted, 10 paid. */
export type FormStatus = 1 | 2 | 3 | 4 | 6 | 7 | 10

/** What people do with a form in the approval app. */
export type FormAct =
  | { type: 'approve' | 'reject'; by: string; speech?: string }
  | { type: 'transfer' | 'addApprover'; by: string; to: string; speech?: string }
  | { type: 'comment'; by: string; text: string }
  | { type: 'withdraw' | 'urge' | 'delete' | 'pay'; by: string }
