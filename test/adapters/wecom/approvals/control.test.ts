import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../../../../adapters/wecom/approvals/control.ts'
import { maskAccount, maskText } from '../../../../adapters/wecom/approvals/mask.ts'
import { windowsOf } from '../../../../adapters/wecom/approvals/window.ts'
import { createTranslate } from '../../../../src/locale/index.ts'
import { ZONE } from '../../../support/zone.ts'

const text = createTranslate('zh-CN')

function render(control: string, value: object): string | undefined {
  return fieldsOf([{ control, id: 'x', title: [{ text: '标题', lang: 'zh_CN' }], value }], {
    text,
    zone: ZONE,
  })[0]?.value
}
const words = (word: string): object[] => [{ text: word, lang: 'zh_CN' }]
const selector = { type: 'single', options: [{ key: 'option-11', value: words('硬件') }] }

describe('wecom 29: every control renders', () => {
  const cases: [control: string, value: object, rendered: string | undefined][] = [
    ['Text', { text: '测试机采购', tips: [], members: [], files: [], children: [] }, '测试机采购'],
    ['Textarea', { text: '三台\n含内存' }, '三台\n含内存'],
    ['Money', { new_money: '15000.50' }, '15000.50'],
    ['Number', { new_number: '3' }, '3'],
    ['Date', { date: { type: 'day', s_timestamp: '1764547200' } }, '2025-12-01'],
    ['Date', { date: { type: 'hour', s_timestamp: '1764554400' } }, '2025-12-01 10:00'],
    ['Selector', { selector }, '硬件'],
    ['Contact', { members: [{ userid: 'zhangsan', name: '张三' }] }, '张三'],
    ['Contact', { departments: [{ openapi_id: '2', name: '研发部' }] }, '研发部'],
    ['File', { files: [{ file_id: 'WWCISP_x' }, { file_id: 'WWCISP_y' }] }, '2 个附件'],
    ['Formula', { formula: { value: '15000.00' } }, '15000.00'],
    ['RelatedApproval', { related_approval: [{ sp_no: '202511200003' }] }, '202511200003'],
    [
      'DateRange',
      { date_range: { type: 'hour', new_begin: 1764550800, new_end: 1764579600, new_duration: 28800 } },
      '2025-12-01 09:00 至 2025-12-01 17:00（8 小时）',
    ],
    [
      'Location',
      { location: { title: 'T.I.T', address: '新港中路397号', time: 1 } },
      'T.I.T · 新港中路397号',
    ],
    [
      'Vacation',
      {
        vacation: {
          selector: { type: 'single', options: [{ key: '1', value: words('年假') }] },
          attendance: {
            date_range: { type: 'halfday', new_begin: 1764518400, new_end: 1764561600, new_duration: 86400 },
            type: 1,
          },
        },
      },
      '年假，2025-12-01 上午 至 2025-12-01 下午（1 天）',
    ],
    [
      'PunchCorrection',
      { punch_correction: { state: '迟到', time: 1764554400, version: 1 } },
      '2025-12-01 10:00 迟到',
    ],
    ['Tips', {}, undefined],
    ['FutureHologram', { hologram: 1 }, undefined],
  ]
  for (const [control, value, rendered] of cases) {
    it(`${control} as ${rendered ?? 'nothing'}`, () => expect(render(control, value)).toBe(rendered))
  }

  it('a table shows every row', () => {
    const row = (name: string): object => ({
      list: [{ control: 'Text', id: '1', title: words('品名'), value: { text: name } }],
    })

    expect(render('Table', { children: [row('主机'), row('内存')] })).toBe('1. 品名：主机\n2. 品名：内存')
  })

  it('a bank account shows only its end', () => {
    const bank_account = {
      account_type: 1,
      account_name: '张三',
      account_number: '6222020200012345678',
      bank: { bank_alias: '工商银行' },
    }

    expect(render('BankAccount', { bank_account })).toBe('张三 · 工商银行 · ****5678')
  })

  it('a broken value hides only itself', () => {
    const contents = [
      { control: 'Selector', title: words('坏'), value: { selector: 'x' } },
      null,
      { control: 'Text', title: words('好'), value: { text: '1' } },
    ]

    expect(fieldsOf(contents, { text, zone: ZONE })).toEqual([{ title: '好', value: '1' }])
  })
})

describe('masking', () => {
  it('hides telephone, identity and bank numbers inside text', () => {
    expect(maskText('电话 13812345678，座机 020-81234567')).toBe('电话 138****5678，座机 020-****4567')
    expect(maskText('身份证 44010619900101123X')).toBe('身份证 ****123X')
    expect(maskText('卡号 6222 0202 0001 2345 678 尾')).toBe('卡号 ****5678 尾')
    expect(maskAccount('12')).toBe('****')
  })

  it('leaves amounts, dates and approval numbers alone', () => {
    for (const plain of ['15000.50', '2025-12-01 10:00', '202512010001', '单号 202512010001 金额 1380000']) {
      expect(maskText(plain)).toBe(plain)
    }
  })
})

describe('windowsOf', () => {
  const DAY = 86_400_000

  it('wecom 28: ninety days become three windows without gaps, none over 31 days', () => {
    const windows = windowsOf(0, 90 * DAY)

    expect(windows).toEqual([
      { start: 0, end: 31 * 86_400 },
      { start: 31 * 86_400, end: 62 * 86_400 },
      { start: 62 * 86_400, end: 90 * 86_400 },
    ])
  })

  it('exactly 31 days is one window; no span is one second', () => {
    expect(windowsOf(0, 31 * DAY)).toHaveLength(1)
    expect(windowsOf(5_000, 5_000)).toEqual([{ start: 5, end: 6 }])
  })
})
