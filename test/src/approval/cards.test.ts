import { describe, expect, it } from 'vitest'
import { decidedCard } from '../../../src/approval/decided-card.ts'
import type { OpenInput } from '../../../src/approval/open.ts'
import { pendingCard } from '../../../src/approval/pending-card.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { finding } from '../../../src/policy/finding.ts'
import type { Card, CardBlock } from '../../../src/protocol/card.ts'
import { ZONE } from '../../support/zone.ts'
import { admin, bound, click, openRoom, openRow } from './fixture.ts'

const zh = createTranslate('zh-CN')
const options = { codeBytes: 20_000, zone: ZONE }
const room = await openRoom({
  config: { access: { admins: [admin.user] }, approval: { maxPendingPerChat: 1_000 } },
})
let calls = 0

async function paint(extra: Partial<OpenInput> = {}, codeBytes = 20_000, workspace = '/w/s1') {
  calls++
  const row = await openRow(room, `call${calls}`, { runId: `run${calls}`, ...extra })
  return { row, ...pendingCard(row, zh, room.clock.now(), { codeBytes, zone: ZONE, workspace }) }
}

const command = (text: string): Partial<OpenInput> => ({ bound: { ...bound, command: text } })
const blockOf = <T extends CardBlock['type']>(card: Card, type: T) =>
  card.blocks.filter((block): block is Extract<CardBlock, { type: T }> => block.type === type)
const codeOf = (card: Card): string =>
  blockOf(card, 'code')
    .map((block) => block.text)
    .join('')
const textOf = (card: Card): string =>
  blockOf(card, 'text')
    .map((block) => block.text)
    .join('\n')
const fieldsOf = (card: Card) => blockOf(card, 'fields').flatMap((block) => block.fields)

describe('pending card', () => {
  it('shows who, what, where, who may decide, how long, and the code for the text form', async () => {
    const { card, row, attachment } = await paint({ bound: { ...bound, env: { PORT: '80' } } })
    expect(card).toMatchObject({
      title: '命令审批',
      tag: '待审批',
      tone: 'warning',
      cardId: `approval-${row.id}`,
    })
    expect(card.cardId).toMatch(/^[A-Za-z0-9_-]{1,100}$/)
    expect(codeOf(card)).toBe('rm -r build')
    expect(fieldsOf(card)).toEqual([
      { name: '发起人', value: '小王' },
      { name: '可审批人', shortName: '可审批人', value: 'ou_admin' },
      { name: '工作目录', value: '/w/s1', short: '工作区根目录' },
      { name: '环境变量', value: 'PORT=80' },
      { name: '有效期至', value: '09:30' },
    ])
    expect(textOf(card)).toContain('⚠ 会删除或清空文件（rm）。')
    expect(textOf(card)).toContain(`允许 ${row.code}`)
    expect(attachment).toBeUndefined()
  })

  it.each([
    ['/w/s1/packages/api', '工作区/packages/api'],
    ['/w/s1/a\u202Eb', '工作区/a\\u{202E}b'],
    ['/w/s10', undefined],
    ['/w', undefined],
    ['/home/op/project', undefined],
  ])('C10: a folder has a short name only inside the workspace: %j', async (cwd, short) => {
    const { card } = await paint({ bound: { ...bound, cwd } })
    const field = fieldsOf(card).find(({ name }) => name === '工作目录')
    expect(field?.short).toBe(short)
  })

  it('names the day of its end when that is another', async () => {
    const { row } = await paint()
    const nightly = { ...row, expires_at: row.expires_at + 24 * 3_600_000 }
    const { card } = pendingCard(nightly, zh, room.clock.now(), { codeBytes: 2_000, zone: ZONE })
    expect(fieldsOf(card)).toContainEqual({ name: '有效期至', value: '2026-01-06 09:30' })
  })

  it('C1: the buttons carry id, decision and nonce, and nothing else', async () => {
    const { card, row } = await paint()
    expect(card.buttons.map((button) => button.value)).toEqual([
      { a: row.id, d: 'allow', n: row.nonce },
      { a: row.id, d: 'deny', n: row.nonce },
    ])
  })

  it('C22: offers "for this session" only where a grant is legal', async () => {
    expect((await paint()).card.select).toBeUndefined()
    expect((await paint({ grant: ['touch', 'a'] })).card.select).toMatchObject({
      name: 'scope',
      initial: 'once',
    })
  })

  it('is red when something dangerous was found', async () => {
    const { card } = await paint({
      findings: [{ code: 'privilege', severity: 'danger', params: { program: 'sudo' } }],
    })
    expect(card.tone).toBe('danger')
    expect(card.buttons[0]?.style).toBe('danger')
  })

  it('C13: shows hidden characters as escapes', async () => {
    expect(codeOf((await paint(command('ls \u202Ecod\u200B.\u2800\u0000\r\u00A0x'))).card)).toBe(
      'ls \\u{202E}cod\\u{200B}.\\u{2800}\\u{0000}\\u{000D}\\u{00A0}x',
    )
    const { card } = await paint({ bound: { ...bound, cwd: '/w/s1/\u202Ex' }, title: 'a\u202Eb' })
    expect(JSON.stringify(card)).not.toContain('\u202E')
  })

  it('C12: makes long runs of blanks visible', async () => {
    expect(codeOf((await paint(command(`ls${' '.repeat(4_000)};rm x`))).card)).toBe('ls␠×4000;rm x')
    expect(codeOf((await paint(command(`ls${'\n'.repeat(4_000)}rm x`))).card)).toBe('ls⏎×4000\nrm x')
  })

  it('C12: never shortens silently: head, tail, byte count, digest, and the full text beside it', async () => {
    const long = `echo ${'报告'.repeat(2_000)} && rm -rf x`
    const { card, attachment, row } = await paint(command(long), 1_000)
    const shown = codeOf(card)
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1_000)
    expect(shown.startsWith('echo 报告')).toBe(true)
    expect(shown.endsWith('&& rm -rf x')).toBe(true)
    expect(shown).not.toContain('\uFFFD')
    expect(textOf(card)).toMatch(/共 12017 字节.*略去 \d+ 字节.*SHA-256 前 16 位：[0-9a-f]{16}/)
    expect(attachment).toEqual({ name: `approval-${row.code}.txt`, text: long })
  })

  it('C14: markup in a command stays literal text', async () => {
    const nasty = 'echo "</font>```<at id=all></at>[x](http://y){{z}}"'
    const { card } = await paint({ ...command(nasty), title: nasty })
    expect(codeOf(card)).toBe(nasty)
    expect(card.blocks.some((block) => block.type === 'markdown')).toBe(false)
  })

  it('C15: masks only the secret; program, path, host and option stay', async () => {
    const { card } = await paint(
      command(
        'curl -H "Authorization: Bearer abcdefghijklmnop1234" https://u:hunter22@x.cn/a?token=secretsecret -o /w/b',
      ),
    )
    expect(codeOf(card)).toBe(
      'curl -H "Authorization: Bearer ••••(20)" https://u:••••(8)@x.cn/a?token=••••(12) -o /w/b',
    )
    expect(textOf(card)).toContain('有 3 处密钥已打码')
  })

  it('C10/C12: shows every variable: a few in a field, many below the command', async () => {
    const env = { FLAGS: 'x'.repeat(400), PORT: '80' }
    const { card } = await paint({ bound: { ...bound, env } })
    expect(codeOf(card)).toBe(`rm -r build\n\n附加环境变量:\nFLAGS=${'x'.repeat(400)}\nPORT=80`)
    expect(fieldsOf(card)).toContainEqual({ name: '环境变量', value: '较长，列在上面命令的下方' })
  })

  it('keeps long names, titles and words of findings from crowding out the command', async () => {
    const { card } = await paint({
      title: 'x'.repeat(5_000),
      requesterName: '王'.repeat(500),
      findings: [finding('outside', 'danger', { path: '/'.repeat(5_000) })],
    })
    expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThan(4_000)
    expect(codeOf(card)).toBe('rm -r build')
  })

  it('shows the arguments of a tool that is no command', async () => {
    const { card } = await paint({
      bound: { tool: 'schedule_create', args: { cron: '0 9 * * *' } },
      title: '新建定时任务',
    })
    expect(card.title).toBe('操作审批')
    expect(codeOf(card)).toBe('cron：0 9 * * *')
  })

  it('says in lines what is typed where, every argument, and none that passes for another', async () => {
    const args = {
      ref: 'e5',
      text: '你好\n网址：https://bank.example',
      clear: true,
      submit: false,
      'od\nd': { a: [1] },
    }
    const { card } = await paint({
      bound: { tool: 'browser_type', args, target: 'input “关键词” · https://shop.example/' },
    })
    expect(codeOf(card).split('\n')).toEqual([
      '对象：input “关键词” · https://shop.example/',
      '元素编号：e5',
      '输入的文字：',
      '  你好',
      '  网址：https://bank.example',
      '先清空原来的内容：是',
      '输入后按回车：否',
      '"od\\nd"：',
      '  {',
      '    "a": [',
      '      1',
      '    ]',
      '  }',
    ])
  })

  it.each([
    ['true', '"true"'],
    [true, 'true'],
    ['5', '"5"'],
    [' x', '" x"'],
    ['', '""'],
    ['plain', 'plain'],
  ])('shows the argument %j as %s', async (value, words) => {
    const { card } = await paint({ bound: { tool: 'mcp__a__b', args: { q: value } } })
    expect(codeOf(card)).toBe(`q：${words}`)
  })
})

describe('decided card', () => {
  it('says who, when and why, and has nothing to press', async () => {
    const { row } = await paint()
    await room.approvals.decide(click(row, { decision: 'deny', reason: '先备份\u202E' }))
    const settled = await room.approvals.byId(row.id)
    if (!settled) throw new Error('the row is there')
    const card = decidedCard(settled, zh, options)
    expect(card).toMatchObject({ tag: '已拒绝', tone: 'danger', buttons: [], cardId: `approval-${row.id}` })
    expect(card.select).toBeUndefined()
    expect(fieldsOf(card)).toEqual([
      { name: '结果', value: '已拒绝' },
      { name: '处理人', value: '管理员' },
      { name: '处理时间', value: '2026-01-05 09:00' },
      { name: '理由', value: '先备份\\u{202E}' },
    ])
    expect(codeOf(card)).toBe('rm -r build')
  })

  it('an expired one names nobody', async () => {
    const { row } = await paint()
    const card = decidedCard({ ...row, status: 'expired', decided_at: row.expires_at }, zh, options)
    expect(card).toMatchObject({ tag: '已过期', tone: 'neutral' })
    expect(fieldsOf(card).map((field) => field.name)).toEqual(['结果', '处理时间'])
  })

  it('paints every status in both languages', async () => {
    const { row } = await paint()
    for (const locale of ['zh-CN', 'en'] as const) {
      for (const status of ['approved', 'consumed', 'denied', 'expired', 'cancelled'] as const) {
        expect(JSON.stringify(decidedCard({ ...row, status }, createTranslate(locale), options))).not.toMatch(
          /(?<!\\\\u)\{\w+\}/,
        )
      }
    }
  })
})
