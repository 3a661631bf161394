/** An approval form as short text for the model. Pure. */
import type { OaApproval, OaPerson, OaStep } from '../../protocol/oa-approval.ts'
import type { Translate } from '../../protocol/ports.ts'
import type { ZoneTime } from '../../protocol/zone-time.ts'

/** The zone of every time in a form. */
export type FormZone = Pick<ZoneTime, 'show'>

export function formText(form: OaApproval, text: Translate, zone: FormZone): string {
  const inSteps = new Set(
    form.steps
      .filter(({ kind }) => kind === 'copy')
      .flatMap(({ people }) => people.map(({ person }) => person.user)),
  )
  const copied = form.copied.filter(({ user }) => !inSteps.has(user))
  const sections = [
    text('wecom.approval.form', {
      number: form.number,
      name: form.name,
      status: form.status,
      applicant: personText(form.applicant),
      time: zone.show(form.appliedAt),
    }),
    form.onBehalfOf.length > 0 && text('wecom.approval.behalf', { people: peopleText(form.onBehalfOf) }),
    section(
      text('wecom.approval.fields'),
      form.fields.map((field) => `- ${field.title}：${indent(field.value)}`),
    ),
    section(
      text('wecom.approval.steps'),
      form.steps.map((step, index) => stepText(step, index, text, zone)),
    ),
    copied.length > 0 && text('wecom.approval.copied', { people: peopleText(copied) }),
    section(
      text('wecom.approval.comments'),
      form.comments.map((comment) => `- ${zone.show(comment.at)} ${comment.person.name}：${comment.text}`),
    ),
  ]
  return sections.filter((part) => part !== false && part !== '').join('\n')
}

/** One line for a list. */
export function formLine(form: OaApproval, zone: FormZone): string {
  return `${form.number} · ${form.name} · ${form.status} · ${form.applicant.name} · ${zone.show(form.appliedAt)}`
}

function stepText(step: OaStep, index: number, text: Translate, zone: FormZone): string {
  const rule = step.rule === undefined ? '' : `（${step.rule}）`
  const head = `${index + 1}. ${text(`wecom.approval.kind.${step.kind}`)}${rule}`
  // Nobody decides at such a step, whatever status the platform gives it.
  if (step.kind === 'copy') return `${head}：${peopleText(step.people.map(({ person }) => person))}`
  const people = step.people.map((entry) => {
    const at = entry.at === undefined ? '' : ` ${zone.show(entry.at)}`
    const comment = entry.comment === '' ? '' : `「${entry.comment}」`
    return `${entry.person.name} ${entry.status}${at}${comment}`
  })
  const told = step.people.some(({ status }) => status === step.status)
  return `${head}${told ? '' : ` ${step.status}`}：${people.join('；')}`
}

function personText(person: OaPerson): string {
  const id = person.user.replace(/^\w+:/, '')
  return person.name.toLowerCase() === id ? person.name : `${person.name}（${id}）`
}

function peopleText(people: readonly OaPerson[]): string {
  return people.map((person) => person.name).join('、')
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines].join('\n')
}

function indent(value: string): string {
  return value.includes('\n') ? `\n  ${value.replaceAll('\n', '\n  ')}` : value
}
