/** Approval forms in the platform's shapes: getapprovaldetail, gettemplatedetail, sys_approval_change. */
import type { WecomSettings } from './control.ts'
import type { FormControl, FormTemplate, LangText } from './form.ts'
import type { FormEntry, FormState, StepState } from './form-state.ts'
import type { Org } from './org.ts'
import type { XmlValue } from './xml.ts'

type Json = Record<string, unknown>

const zh = (text: string): LangText[] => [{ text, lang: 'zh_CN' }]

/** Keys that the platform adds to a value whether the control uses them or not. */
const EMPTY = { tips: [], members: [], departments: [], files: [], children: [], stat_field: [] }

function controlWire(control: FormControl): Json {
  const { title, value } = control
  const base = { control: control.control, id: control.id, title: zh(title) }
  if (control.control === 'Tips') return { ...base, value }
  if (control.control !== 'Table') return { ...base, value: { ...EMPTY, ...value } }
  const rows = control.value as { children: { list: FormControl[] }[] }
  return {
    ...base,
    value: { ...EMPTY, children: rows.children.map((row) => ({ list: row.list.map(controlWire) })) },
  }
}

const entryWire = (entry: FormEntry): Json => ({
  approver: { userid: entry.userid },
  speech: entry.speech,
  sp_status: entry.status,
  sptime: entry.at,
  media_id: [],
})

const attrOf = (step: StepState): number => (step.rule === 'any' ? 1 : 2)

function nodeWire(step: StepState, settings: WecomSettings): Json {
  const isFirst = (step.rule === 'all') === (settings.apvRel === 'all-is-1')
  return {
    node_type: 1,
    sp_status: step.status,
    apv_rel: isFirst ? 1 : 2,
    sub_node_list: step.entries.map((entry) => ({
      userid: entry.userid,
      speech: entry.speech,
      sp_yj: entry.status,
      sptime: entry.at,
      media_ids: [],
    })),
  }
}

/** The `info` of getapprovaldetail (doc 91983). */
export function detailWire(form: FormState, settings: WecomSettings): Json {
  const copies = { node_type: 2, sp_status: 2, sub_node_list: form.notify.map((userid) => ({ userid })) }
  return {
    sp_no: form.spNo,
    sp_name: form.template.name,
    sp_status: form.status,
    template_id: form.template.templateId,
    apply_time: form.filedAt,
    applyer: { userid: form.applicant, partyid: String(form.department) },
    sp_record: form.steps.map((step) => ({
      sp_status: step.status,
      approverattr: attrOf(step),
      details: step.entries.map(entryWire),
    })),
    notifyer: form.notify.map((userid) => ({ userid })),
    apply_data: { contents: form.contents.map(controlWire) },
    comments: form.comments.map((one) => ({
      commentUserInfo: { userid: one.by },
      commenttime: one.at,
      commentcontent: one.text,
      commentid: one.id,
      media_id: [],
    })),
    process_list: {
      node_list: [
        ...form.steps.map((step) => nodeWire(step, settings)),
        ...(form.notify.length > 0 ? [copies] : []),
      ],
    },
  }
}

/** The answer of gettemplatedetail (doc 91982). */
export const templateWire = (template: FormTemplate): Json => ({
  template_names: zh(template.name),
  template_content: {
    controls: template.controls.map((one) => ({
      property: {
        control: one.control,
        id: one.id,
        title: zh(one.title),
        placeholder: zh(one.placeholder ?? ''),
        require: one.required ? 1 : 0,
        un_print: 0,
      },
      ...(one.config ? { config: one.config } : {}),
    })),
  },
})

/** The fields of a sys_approval_change event (doc 91815). */
export function changeWire(form: FormState, event: number, org: Org): { [name: string]: XmlValue } {
  return {
    AgentID: 3_010_040,
    ApprovalInfo: {
      SpNo: BigInt(form.spNo),
      SpNoStr: form.spNo,
      SpName: form.template.name,
      SpStatus: form.status,
      TemplateId: form.template.templateId,
      ApplyTime: form.filedAt,
      Applyer: {
        UserId: org.member(form.applicant)?.userid ?? form.applicant,
        Party: String(form.department),
      },
      SpRecord: form.steps.map((step) => ({
        SpStatus: step.status,
        ApproverAttr: attrOf(step),
        Details: step.entries.map((entry) => ({
          Approver: { UserId: entry.userid },
          Speech: entry.speech,
          SpStatus: entry.status,
          SpTime: entry.at,
        })),
      })),
      Notifyer: form.notify.map((userid) => ({ UserId: userid })),
      Comments: form.comments.map((one) => ({
        CommentUserInfo: { UserId: one.by },
        CommentTime: one.at,
        CommentContent: one.text,
        CommentId: one.id,
      })),
      StatuChangeEvent: event,
    },
  }
}
