/** The wire shape of a form (doc 91983). Loose: WeCom adds controls and fields without notice. */
import { z } from 'zod'

const text = z.union([z.string(), z.number().transform(String)]).catch('')
const seconds = z.coerce.number().catch(0)
const label = z.array(z.looseObject({ text })).catch([])
/** "12.50" stays the text it is, also when it arrives as a number. */
const amount = z
  .union([z.string(), z.number().transform(String)])
  .optional()
  .catch(undefined)

const option = z.looseObject({ key: text, value: label })
const selector = z.looseObject({ options: z.array(option).catch([]) })
const range = z.looseObject({ type: text, new_begin: seconds, new_end: seconds, new_duration: seconds })

const valueSchema = z.looseObject({
  text: z.string().optional().catch(undefined),
  new_number: amount,
  new_money: amount,
  date: z.looseObject({ type: text, s_timestamp: seconds }).optional().catch(undefined),
  selector: selector.optional().catch(undefined),
  members: z.array(z.looseObject({ userid: text, name: text })).catch([]),
  departments: z.array(z.looseObject({ openapi_id: text, name: text })).catch([]),
  files: z.array(z.looseObject({ file_id: text, file_name: text })).catch([]),
  children: z.array(z.looseObject({ list: z.array(z.unknown()).catch([]) })).catch([]),
  formula: z.looseObject({ value: amount }).optional().catch(undefined),
  related_approval: z.array(z.looseObject({ sp_no: text })).catch([]),
  date_range: range.optional().catch(undefined),
  location: z.looseObject({ title: text, address: text }).optional().catch(undefined),
  vacation: z
    .looseObject({
      selector: selector.optional(),
      attendance: z.looseObject({ date_range: range.optional() }).optional(),
    })
    .optional()
    .catch(undefined),
  attendance: z.looseObject({ type: seconds, date_range: range.optional() }).optional().catch(undefined),
  punch_correction: z
    .looseObject({ state: text, time: seconds, daymonthyear: seconds })
    .optional()
    .catch(undefined),
  bank_account: z
    .looseObject({
      account_name: text,
      account_number: text,
      remark: text,
      bank: z.looseObject({ bank_alias: text }).optional(),
    })
    .optional()
    .catch(undefined),
})

export type ControlValue = z.output<typeof valueSchema>

export const controlSchema = z.looseObject({
  control: z.string(),
  title: label,
  value: valueSchema.catch({ members: [], departments: [], files: [], children: [], related_approval: [] }),
})

const user = z.looseObject({ userid: text })

const record = z.looseObject({
  sp_status: seconds,
  approverattr: seconds,
  details: z
    .array(z.looseObject({ approver: user, speech: text, sp_status: seconds, sptime: seconds }))
    .catch([]),
})

const node = z.looseObject({
  node_type: seconds,
  sp_status: seconds,
  sub_node_list: z
    .array(z.looseObject({ userid: text, speech: text, sp_yj: seconds, sptime: seconds }))
    .catch([]),
})

export const formSchema = z.looseObject({
  info: z.looseObject({
    sp_no: text,
    sp_name: text,
    sp_status: seconds,
    apply_time: seconds,
    applyer: user,
    batch_applyer: z.array(user).catch([]),
    sp_record: z.array(record).catch([]),
    notifyer: z.array(user).catch([]),
    apply_data: z.looseObject({ contents: z.array(z.unknown()).catch([]) }).catch({ contents: [] }),
    comments: z
      .array(z.looseObject({ commentUserInfo: user, commenttime: seconds, commentcontent: text }))
      .catch([]),
    process_list: z
      .looseObject({ node_list: z.array(node).catch([]) })
      .optional()
      .catch(undefined),
  }),
})

export type FormInfo = z.output<typeof formSchema>['info']
