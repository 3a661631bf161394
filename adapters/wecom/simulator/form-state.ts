/** An approval form's life: who must decide, what each act does to it. Pure functions over plain data. */
import type { FormAct, FormControl, FormStatus, FormTemplate } from './form.ts'
import { sameUser } from './org.ts'
import { disallow } from './refusal.ts'

/** 1 in progress, 2 agreed, 3 rejected, 4 transferred. */
export type EntryStatus = 1 | 2 | 3 | 4

export interface FormEntry {
  userid: string
  status: EntryStatus
  speech: string
  /** Unix seconds; 0 while undecided. */
  at: number
}

export interface StepState {
  rule: 'any' | 'all'
  status: EntryStatus
  entries: FormEntry[]
}

export interface FormState {
  spNo: string
  template: FormTemplate
  applicant: string
  department: number
  /** Unix seconds. */
  filedAt: number
  status: FormStatus
  steps: StepState[]
  notify: string[]
  contents: FormControl[]
  recordType: number | undefined
  comments: { by: string; text: string; at: number; id: string }[]
}

/** `StatuChangeEvent` of each act (doc 91815); 1 is the filing. */
export const FILED = 1

/** The step that waits now. */
export const currentStep = (form: FormState): StepState | undefined =>
  form.status === 1 ? form.steps.find((step) => step.status === 1) : undefined

function openEntry(form: FormState, userid: string): { step: StepState; entry: FormEntry } {
  const step = currentStep(form)
  const entry = step?.entries.find((one) => one.status === 1 && sameUser(one.userid, userid))
  if (!step || !entry) throw disallow(`form ${form.spNo} does not wait for ${userid}`)
  return { step, entry }
}

function approve(form: FormState, by: string, speech: string, at: number): void {
  const { step, entry } = openEntry(form, by)
  Object.assign(entry, { status: 2, speech, at })
  const isDone = step.rule === 'any' || step.entries.every((one) => one.status === 2 || one.status === 4)
  if (isDone) step.status = 2
  if (form.steps.every((one) => one.status === 2)) form.status = 2
}

function mustBeApplicant(form: FormState, by: string): void {
  if (!sameUser(form.applicant, by)) throw disallow('only the applicant can do this')
}

/** Applies the act and returns its `StatuChangeEvent`, or undefined when none is sent. */
export function applyAct(form: FormState, act: FormAct, at: number): number | undefined {
  switch (act.type) {
    case 'approve':
      approve(form, act.by, act.speech ?? '', at)
      return 2
    case 'reject': {
      const { step, entry } = openEntry(form, act.by)
      Object.assign(entry, { status: 3, speech: act.speech ?? '', at })
      step.status = 3
      form.status = 3
      return 3
    }
    case 'transfer':
    case 'addApprover': {
      const { step, entry } = openEntry(form, act.by)
      const isTransfer = act.type === 'transfer'
      if (isTransfer) Object.assign(entry, { status: 4, speech: act.speech ?? '', at })
      step.entries.push({ userid: act.to, status: 1, speech: '', at: 0 })
      return isTransfer ? 4 : 12
    }
    case 'comment':
      form.comments.push({ by: act.by, text: act.text, at, id: `C${form.comments.length + 1}` })
      return 10
    case 'withdraw':
      mustBeApplicant(form, act.by)
      if (form.status !== 1 && form.status !== 2)
        throw disallow('only a running or approved form can be withdrawn')
      form.status = form.status === 1 ? 4 : 6
      return form.status === 4 ? 6 : 8
    case 'urge':
      mustBeApplicant(form, act.by)
      return 5
    case 'delete':
      form.status = 7
      return undefined
    case 'pay':
      if (form.status !== 2) throw disallow('only an approved form can be paid')
      form.status = 10
      return undefined
    default:
      return act satisfies never
  }
}
