import { describe, expect, it } from 'vitest'
import { fitsWhole, paintCard } from '../../../adapters/wecom/card.ts'
import { decidedCard } from '../../../src/approval/decided-card.ts'
import { pendingCard } from '../../../src/approval/pending-card.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import type { Card } from '../../../src/protocol/card.ts'
import type { ApprovalRow } from '../../../src/store/schema.ts'
import { bound, openRoom, openRow } from '../../src/approval/fixture.ts'
import { ZONE } from '../../support/zone.ts'

const WORKSPACE = '/srv/yizhan/data/workspaces/0123456789abcdef0123456789abcdef'
const LOCALES = ['zh-CN', 'en'] as const
const LABEL_CHARS = 5

const room = await openRoom()
const row = await openRow(room, 'c1', {
  bound: { ...bound, command: 'uname -a', cwd: WORKSPACE, env: { PORT: '80' } },
  title: 'uname -a',
  findings: [],
  grant: ['uname'],
})
const options = { codeBytes: 112, zone: ZONE, workspace: WORKSPACE }
const pending = (locale: (typeof LOCALES)[number], change: Partial<ApprovalRow> = {}): Card =>
  pendingCard({ ...row, ...change }, createTranslate(locale), room.clock.now(), options).card
const called = (change: object): Partial<ApprovalRow> => ({
  call: JSON.stringify({ ...JSON.parse(row.call), ...change }),
})
const labels = (card: Card): string[] =>
  card.blocks.flatMap((block) =>
    block.type === 'fields'
      ? block.fields.map(({ name, shortName }) => (name.length <= LABEL_CHARS ? name : (shortName ?? name)))
      : [],
  )
const values = (card: Card): string[] => rowsOf(card).map(({ value }) => value)
const rowsOf = (card: Card): { keyname: string; value: string }[] =>
  paintCard(card, 'aibot').horizontal_content_list as { keyname: string; value: string }[]

describe.each(LOCALES)('words of cards in %s', (locale) => {
  const decided = (['approved', 'consumed', 'denied', 'expired', 'cancelled'] as const).map((status) =>
    decidedCard(
      {
        ...row,
        status,
        decided_by: 'wecom:lisi',
        decided_name: '李四',
        decided_at: row.created_at,
        scope: 'session',
        reason: 'ok',
      },
      createTranslate(locale),
      options,
    ),
  )

  it('labels, titles, states and buttons fit whole, and no label stands twice', () => {
    for (const card of [pending(locale), ...decided]) {
      const painted = paintCard(card, 'aibot')
      expect(rowsOf(card).map(({ keyname }) => keyname)).toEqual(labels(card))
      expect(new Set(labels(card)).size).toBe(labels(card).length)
      expect(painted.main_title).toEqual({ title: card.title, desc: card.tag })
      expect(JSON.stringify(painted.button_list)).not.toContain('…')
    }
  })

  it.each([
    ...['when', 'next', 'to', 'creator', 'policy', 'decided'].map((name) => `schedule.card.${name}`),
    ...['id', 'runs', 'acceptance', 'by', 'note'].map((name) => `task.card.${name}`),
  ])('the label %s fits, too', (key) => {
    expect([...createTranslate(locale)(key)].length).toBeLessThanOrEqual(LABEL_CHARS)
  })

  it('C12: a plain command in the workspace needs no message above its card', () => {
    const card = pending(locale)

    expect(fitsWhole(card)).toBe(true)
    expect(JSON.stringify(paintCard(card, 'aibot'))).not.toContain('…')
    expect(values(card)).toContain(locale === 'en' ? 'the workspace' : '工作区根目录')
    expect(paintCard(card, 'aibot').sub_title_text).toContain(row.code)
  })

  it('C12: a folder inside the workspace is named, one outside is said whole above the card', () => {
    const inside = pending(locale, called({ cwd: `${WORKSPACE}/web/api` }))
    expect(fitsWhole(inside)).toBe(true)
    expect(values(inside)).toContain(locale === 'en' ? 'workspace/web/api' : '工作区/web/api')

    for (const cwd of [
      `${WORKSPACE}-other/web`,
      '/srv/yizhan/somewhere/else/entirely',
      `${WORKSPACE}/${'x'.repeat(30)}`,
    ])
      expect(fitsWhole(pending(locale, called({ cwd })))).toBe(false)
  })

  it('C12: what a command does, its environment or its risks are said whole above when they have no room', () => {
    const findings = JSON.parse(row.findings)
    const risk = { code: 'deletes', severity: 'warning', params: { program: 'x'.repeat(100) } }

    expect(fitsWhole(pending(locale, called({ command: 'x'.repeat(112) })))).toBe(false)
    expect(fitsWhole(pending(locale, called({ env: { FLAGS: 'x'.repeat(30) } })))).toBe(false)
    expect(fitsWhole(pending(locale, { findings: JSON.stringify({ ...findings, findings: [risk] }) }))).toBe(
      false,
    )
  })

  it('a tool whose title says more than its command keeps the title', () => {
    const card = pending(locale, {
      ...called({ tool: 'start_command', command: `sleep ${'9'.repeat(30)}` }),
      findings: JSON.stringify({ ...JSON.parse(row.findings), title: 'in the background' }),
    })

    expect(paintCard(card, 'aibot').sub_title_text).toContain('in the background')
  })
})
