/** The approval reads: numbers of a time span, one form, one template (doc 91816, 91983, 91982). */
import { z } from 'zod'
import type { Routes } from './api.ts'
import type { CorpApp } from './corp.ts'
import type { FormState } from './form-state.ts'
import { detailWire, templateWire } from './form-wire.ts'
import type { Forms } from './forms.ts'
import { sameUser } from './org.ts'
import { refuse } from './refusal.ts'
import type { World } from './world.ts'

const SPAN_MAX_SEC = 31 * 86_400
const PAGE_MAX = 100
const FILTER_KEYS = ['template_id', 'creator', 'department', 'sp_status', 'record_type'] as const

const unixTime = z.union([z.string().regex(/^\d{1,10}$/), z.number().int().min(0)]).transform(Number)
const listSchema = z.looseObject({
  starttime: unixTime,
  endtime: unixTime,
  new_cursor: z.string(),
  size: z.number().int().min(1).max(PAGE_MAX).default(PAGE_MAX),
  filters: z.array(z.looseObject({ key: z.enum(FILTER_KEYS), value: z.string().min(1) })).default([]),
})

type Filter = z.output<typeof listSchema>['filters'][number]

/** Parses or refuses with the approval app's own parameter error. */
function acceptForm<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw refuse(301025, parsed.error.issues[0]?.path.join('.'))
  return parsed.data
}

function matches(form: FormState, filter: Filter): boolean {
  switch (filter.key) {
    case 'template_id':
      return form.template.templateId === filter.value
    case 'creator':
      return sameUser(form.applicant, filter.value)
    case 'department':
      return String(form.department) === filter.value
    case 'sp_status':
      return String(form.status) === filter.value
    case 'record_type':
      return form.recordType !== undefined && String(form.recordType) === filter.value
    default:
      return filter.key satisfies never
  }
}

/** Same key: any value fits; different keys: all must. Only `department` may repeat. */
function passes(form: FormState, filters: readonly Filter[]): boolean {
  return FILTER_KEYS.every((key) => {
    const values = filters.filter((one) => one.key === key)
    return values.length === 0 || values.some((one) => matches(form, one))
  })
}

function checkList(input: z.output<typeof listSchema>): void {
  const span = input.endtime - input.starttime
  if (span <= 0 || span > SPAN_MAX_SEC) throw refuse(301025, 'the span must be positive and at most 31 days')
  for (const key of FILTER_KEYS) {
    const count = input.filters.filter((one) => one.key === key).length
    if (count > 1 && key !== 'department') throw refuse(301025, `filter ${key} is given twice`)
  }
}

export function approvalRoutes(world: World, forms: Forms): Routes {
  const mayRead = (app: CorpApp): void => {
    if (!app.approvalAccess) throw refuse(301055)
  }

  const list = (app: CorpApp, body: unknown): object => {
    const input = acceptForm(listSchema, body)
    checkList(input)
    const start = input.new_cursor === '' ? 0 : Number(/^NC(\d+)$/.exec(input.new_cursor)?.[1] ?? Number.NaN)
    if (Number.isNaN(start)) throw refuse(301025, 'new_cursor')
    const found = forms
      .all()
      .filter(
        (form) =>
          form.filedAt >= input.starttime && form.filedAt <= input.endtime && passes(form, input.filters),
      )
    const page = found.slice(start, start + input.size)
    const next = start + input.size
    // Hidden forms still take their place on the page, which is why pages can be shorter than `size`.
    const visible = page.filter((form) => world.org.sees(app.visible, form.applicant))
    return {
      sp_no_list: visible.map((form) => form.spNo),
      ...(next < found.length ? { new_next_cursor: `NC${next}` } : {}),
    }
  }

  const detail = (app: CorpApp, body: unknown): object => {
    const { sp_no: spNo } = acceptForm(z.looseObject({ sp_no: z.string().min(1) }), body)
    const form = forms.find(spNo)
    if (!form || !world.org.sees(app.visible, form.applicant)) throw refuse(301025, 'sp_no')
    return { info: detailWire(form, world.settings) }
  }

  const template = (body: unknown): object => {
    const { template_id: id } = acceptForm(z.looseObject({ template_id: z.string().min(1) }), body)
    const found = forms.template(id)
    if (!found) throw refuse(301026)
    return templateWire(found)
  }

  const read = (run: (app: CorpApp, body: unknown) => object): Routes[string] => ({
    method: 'POST',
    access: 'app',
    perMinute: 600,
    run: (call, app) => {
      mayRead(app)
      return run(app, call.json())
    },
  })
  return {
    'oa/getapprovalinfo': read(list),
    'oa/getapprovaldetail': read(detail),
    'oa/gettemplatedetail': read((_app, body) => template(body)),
  }
}
