/** A value of every control that a form of WeCom can have, and of one that nobody knows yet. */
import type { FormControl } from '../../../../adapters/wecom/simulator/form.ts'

const day = { type: 'day' as const, s_timestamp: '1764547200' }
const range = { type: 'hour' as const, new_begin: 1764550800, new_end: 1764579600, new_duration: 28_800 }
const option = { key: 'option-11', value: [{ text: '硬件', lang: 'zh_CN' }] }
export const CONTROLS: FormControl[] = [
  { control: 'Text', id: 'Text-1', title: '事由', value: { text: '测试机采购' } },
  { control: 'Textarea', id: 'Textarea-2', title: '说明', value: { text: '三台\n含内存' } },
  { control: 'Money', id: 'Money-3', title: '金额', value: { new_money: '15000.50' } },
  { control: 'Number', id: 'Number-4', title: '数量', value: { new_number: '3' } },
  { control: 'Date', id: 'Date-5', title: '期望日期', value: { date: day } },
  {
    control: 'Selector',
    id: 'Selector-6',
    title: '类别',
    value: { selector: { type: 'single', options: [option] } },
  },
  {
    control: 'Contact',
    id: 'Contact-7',
    title: '使用人',
    value: { members: [{ userid: 'zhangsan', name: '张三' }] },
  },
  {
    control: 'Contact',
    id: 'Contact-8',
    title: '部门',
    value: { departments: [{ openapi_id: '2', name: '研发部' }] },
  },
  { control: 'File', id: 'File-9', title: '附件', value: { files: [{ file_id: 'WWCISP_invoice' }] } },
  {
    control: 'Table',
    id: 'Table-10',
    title: '明细',
    value: {
      children: [
        { list: [{ control: 'Money', id: 'Money-20', title: '单价', value: { new_money: '5000.00' } }] },
      ],
    },
  },
  { control: 'Formula', id: 'Formula-11', title: '合计', value: { formula: { value: '15000.00' } } },
  {
    control: 'RelatedApproval',
    id: 'Related-12',
    title: '关联单',
    value: { related_approval: [{ sp_no: '202511200003' }] },
  },
  { control: 'DateRange', id: 'DateRange-13', title: '时段', value: { date_range: range } },
  {
    control: 'Location',
    id: 'Location-14',
    title: '地点',
    value: {
      location: {
        latitude: '23.1',
        longitude: '113.3',
        title: 'T.I.T',
        address: '新港中路397号',
        time: 1764554400,
      },
    },
  },
  { control: 'Tips', id: 'Tips-15', title: '说明文字', value: {} },
  {
    control: 'BankAccount',
    id: 'Bank-16',
    title: '账户',
    value: {
      bank_account: {
        account_type: 1,
        account_name: '张三',
        account_number: '6222000011112222',
        bank: { bank_alias: '招商银行' },
      },
    },
  },
  {
    control: 'Attendance',
    id: 'Attendance-17',
    title: '出差',
    value: { attendance: { date_range: range, type: 3 } },
  },
  {
    control: 'Vacation',
    id: 'vacation-18',
    title: '请假',
    value: {
      vacation: {
        selector: { type: 'single', options: [option] },
        attendance: { date_range: range, type: 1 },
      },
    },
  },
  {
    control: 'PunchCorrection',
    id: 'Punch-19',
    title: '补卡',
    value: { punch_correction: { state: '缺卡', time: 1764554400 } },
  },
  { control: 'FutureHologram', id: 'Future-20', title: '未知', value: { hologram: 1 } },
]
