/** One form field as readable text. Decided by `control`: values carry empty arrays of other kinds. */
import type { Translate } from '../../../src/protocol/ports.ts'
import type { ZoneTime } from '../../../src/protocol/zone-time.ts'
import { type ControlValue, controlSchema } from './form.ts'
import { maskAccount, maskText } from './mask.ts'
import { formatDay, formatSeconds } from './time.ts'

interface Field {
  readonly title: string
  readonly value: string
}

/** What a value is told with. */
interface FormWords {
  readonly text: Translate
  readonly zone: Pick<ZoneTime, 'show'>
}

type Render = (value: ControlValue, words: FormWords) => string

/** A control that is not here did not exist when this was written; it is skipped, never fatal. */
const RENDERERS: Readonly<Record<string, Render>> = {
  Text: (value) => maskText(value.text ?? ''),
  Textarea: (value) => maskText(value.text ?? ''),
  Number: (value) => maskText(value.new_number ?? ''),
  Money: (value) => value.new_money ?? '',
  Date: (value, { zone }) => dateText(value.date, zone),
  Selector: (value) => optionsText(value.selector),
  Contact: (value) => [...value.members, ...value.departments].map((entry) => entry.name).join('、'),
  File: (value, { text }) =>
    text('wecom.approval.files', {
      count: value.files.length,
      names: value.files.flatMap((file) => (file.file_name ? [file.file_name] : [])).join('、'),
    }).trim(),
  Table: tableText,
  Formula: (value) => value.formula?.value ?? '',
  RelatedApproval: (value) => value.related_approval.map((related) => related.sp_no).join('、'),
  DateRange: (value, words) => rangeText(value.date_range, words),
  Location: (value) => [value.location?.title, value.location?.address].filter(Boolean).join(' · '),
  Vacation: (value, words) =>
    [optionsText(value.vacation?.selector), rangeText(value.vacation?.attendance?.date_range, words)]
      .filter(Boolean)
      .join('，'),
  Attendance: (value, words) => rangeText(value.attendance?.date_range, words),
  PunchCorrection: (value, { zone }) =>
    [formatSeconds(value.punch_correction?.time ?? 0, zone), value.punch_correction?.state]
      .filter(Boolean)
      .join(' '),
  BankAccount: (value) => bankText(value.bank_account),
}

/** Fields of a form's contents, in order; unknown and empty ones are left out. */
export function fieldsOf(contents: readonly unknown[], words: FormWords): Field[] {
  return contents.flatMap((content) => {
    const parsed = controlSchema.safeParse(content)
    if (!parsed.success) return []
    const { control, title, value } = parsed.data
    const render = Object.hasOwn(RENDERERS, control) ? RENDERERS[control] : undefined
    const rendered = render?.(value, words) ?? ''
    return rendered === '' ? [] : [{ title: title[0]?.text ?? control, value: rendered }]
  })
}

function tableText(value: ControlValue, words: FormWords): string {
  return value.children
    .map((row, index) => {
      const cells = fieldsOf(row.list, words).map((field) => `${field.title}：${field.value}`)
      return `${index + 1}. ${cells.join('；')}`
    })
    .join('\n')
}

function dateText(date: ControlValue['date'], zone: FormWords['zone']): string {
  if (date === undefined) return ''
  return date.type === 'day' ? formatDay(date.s_timestamp) : formatSeconds(date.s_timestamp, zone)
}

function optionsText(selector: ControlValue['selector']): string {
  return (selector?.options ?? []).map((option) => option.value[0]?.text ?? option.key).join('、')
}

function rangeText(range: ControlValue['date_range'], { text, zone }: FormWords): string {
  if (range === undefined) return ''
  const format = (at: number): string => (range.type === 'hour' ? formatSeconds(at, zone) : formatDay(at))
  const halves =
    range.type === 'halfday' ? [halfOf(range.new_begin, text), halfOf(range.new_end, text)] : ['', '']
  return text('wecom.approval.range', {
    from: `${format(range.new_begin)}${halves[0]}`,
    to: `${format(range.new_end)}${halves[1]}`,
    duration: durationText(range.new_duration, range.type, text),
  })
}

/** Half days begin at midnight or noon of Beijing. */
function halfOf(seconds: number, text: Translate): string {
  const hour = ((seconds + 8 * 3_600) / 3_600) % 24
  return ` ${text(hour < 12 ? 'wecom.approval.morning' : 'wecom.approval.afternoon')}`
}

function durationText(seconds: number, type: string, text: Translate): string {
  const round = (value: number): number => Math.round(value * 100) / 100
  return type === 'hour'
    ? text('wecom.approval.hours', { count: round(seconds / 3_600) })
    : text('wecom.approval.days', { count: round(seconds / 86_400) })
}

function bankText(account: ControlValue['bank_account']): string {
  if (account === undefined) return ''
  return [account.account_name, account.bank?.bank_alias, maskAccount(account.account_number)]
    .filter(Boolean)
    .join(' · ')
}
