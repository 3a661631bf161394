/** The approval app: filing, deciding, and telling the app that listens. */
import type { AppLink } from './app-link.ts'
import type { ApprovalControl } from './control.ts'
import type { CorpMember } from './corp.ts'
import type { FormInput, FormTemplate } from './form.ts'
import { applyAct, currentStep, FILED, type FormState } from './form-state.ts'
import { changeWire } from './form-wire.ts'
import { sameUser } from './org.ts'
import { disallow } from './refusal.ts'
import type { World } from './world.ts'

export interface Forms {
  readonly control: ApprovalControl
  find(spNo: string): FormState | undefined
  template(templateId: string): FormTemplate | undefined
  /** All forms, by filing time, oldest first. */
  all(): FormState[]
}

const SHANGHAI_OFFSET_MS = 8 * 3_600_000

export function createForms(world: World, appLink: AppLink): Forms {
  const templates = new Map<string, FormTemplate>()
  const forms = new Map<string, FormState>()
  const perDay = new Map<string, number>()

  /** Day of filing in Shanghai and a running number: `202512010001`. */
  const nextNumber = (filedAt: number): string => {
    const day = new Date(filedAt + SHANGHAI_OFFSET_MS).toISOString().slice(0, 10).replaceAll('-', '')
    const count = (perDay.get(day) ?? 0) + 1
    perDay.set(day, count)
    return `${day}${String(count).padStart(4, '0')}`
  }

  const mustFind = (spNo: string): FormState => {
    const form = forms.get(spNo)
    if (!form) throw disallow(`there is no form ${spNo}`)
    return form
  }

  const file = (input: FormInput): string => {
    const template = templates.get(input.templateId)
    const applicant = world.org.member(input.applicant)
    if (!template) throw disallow(`there is no template ${input.templateId}`)
    if (!applicant) throw disallow(`${input.applicant} is not in the corp`)
    const filedAt = input.filedAt ?? world.clock.now()
    const form = newForm(input, { spNo: nextNumber(filedAt), template, applicant, filedAt })
    for (const [id, { name, bytes }] of Object.entries(input.files ?? {})) {
      world.media.keep({ type: 'file', name, bytes, scope: 'corp' }, id)
    }
    forms.set(form.spNo, form)
    tell(world, appLink, form, FILED)
    return form.spNo
  }

  const all = (): FormState[] =>
    [...forms.values()].sort((a, b) => a.filedAt - b.filedAt || a.spNo.localeCompare(b.spNo))

  return {
    find: (spNo) => forms.get(spNo),
    template: (templateId) => templates.get(templateId),
    all,
    control: {
      template: (template) => {
        templates.set(template.templateId, template)
      },
      file,
      act: (spNo, act, at = world.clock.now()) => {
        const form = mustFind(spNo)
        const event = applyAct(form, act, Math.floor(at / 1000))
        if (event !== undefined) tell(world, appLink, form, event)
      },
      status: (spNo) => mustFind(spNo).status,
      waitingFor: (userid) =>
        all()
          .filter((form) =>
            currentStep(form)?.entries.some((entry) => entry.status === 1 && sameUser(entry.userid, userid)),
          )
          .map((form) => form.spNo),
    },
  }
}

interface Filing {
  spNo: string
  template: FormTemplate
  applicant: CorpMember
  /** Milliseconds since 1970. */
  filedAt: number
}

function newForm(input: FormInput, { spNo, template, applicant, filedAt }: Filing): FormState {
  return {
    spNo,
    template,
    applicant: applicant.userid,
    department: input.department ?? applicant.mainDepartment ?? applicant.departments[0] ?? 1,
    filedAt: Math.floor(filedAt / 1000),
    status: 1,
    steps: input.steps.map((step) => ({
      rule: step.rule,
      status: 1,
      entries: step.approvers.map((userid) => ({ userid, status: 1, speech: '', at: 0 })),
    })),
    notify: input.notify ?? [],
    contents: input.contents,
    recordType: input.recordType,
    comments: [],
  }
}

/** Posts the change to every app that listens. */
function tell(world: World, appLink: AppLink, form: FormState, event: number): void {
  for (const app of world.org.corp.apps) {
    if (!app.approvalEvents || !app.callback || app.disabled) continue
    const fields = changeWire(form, event, world.org)
    appLink.event(app, { userid: 'sys', name: 'sys_approval_change', fields })
  }
}
