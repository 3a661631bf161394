/** A morning in two simulated chats: every kind of message and block that the page can show. */
import { crc32, deflateSync } from 'node:zlib'
import type {
  PlaygroundCard,
  PlaygroundChat,
  PlaygroundPerson,
  PlaygroundRun,
} from '../../src/protocol/playground.ts'
import { createScriptedBackend, type ScriptedBackend } from './scripted-backend.ts'

export const zhang: PlaygroundPerson = { id: 'u-zhang', name: '张三', role: 'admin' }
export const li: PlaygroundPerson = { id: 'u-li', name: '李四', role: 'member' }
export const wang: PlaygroundPerson = { id: 'u-wang', name: 'Wang Wu', role: 'member' }
export const bot: PlaygroundPerson = { id: 'cli_0', name: '驿站', role: 'bot' }

export const group: PlaygroundChat = {
  id: 'oc_ops',
  title: '运维值班群',
  kind: 'group',
  botId: 'ops',
  members: [zhang, li, wang, bot],
  closed: false,
}

export const direct: PlaygroundChat = {
  id: 'oc_direct',
  title: '张三 · 驿站',
  kind: 'direct',
  botId: 'ops',
  members: [zhang, bot],
  closed: false,
}

export const wecomGroup: PlaygroundChat = {
  id: 'wr_finance',
  title: '财务日报',
  kind: 'group',
  botId: 'oa',
  members: [li, wang, bot],
  closed: false,
}

/** 240 × 140 pixels, a slope from dark to light. */
export const PICTURE = paintPicture(240, 140)

function paintPicture(width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => (x + y) % 256)]),
  )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length, 0)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = deflateSync(Buffer.concat(rows))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const approvalCard: PlaygroundCard = {
  header: {
    title: '需要审批：运行命令',
    color: 'orange',
    tags: [{ text: '待审批', color: 'orange' }],
  },
  blocks: [
    { type: 'code', text: 'uname -a' },
    {
      type: 'columns',
      columns: [
        { weight: 1, blocks: [{ type: 'plain', text: '申请人' }] },
        { weight: 3, blocks: [{ type: 'plain', text: '李四' }] },
      ],
    },
    {
      type: 'columns',
      columns: [
        { weight: 1, blocks: [{ type: 'plain', text: '工作目录' }] },
        { weight: 3, blocks: [{ type: 'plain', text: '/workspace' }] },
      ],
    },
    {
      type: 'select',
      name: 'scope',
      label: '有效范围',
      initial: 'once',
      disabled: false,
      options: [
        { value: 'once', text: '仅这一次' },
        { value: 'session', text: '本会话内相同的命令' },
      ],
    },
    {
      type: 'input',
      name: 'reason',
      label: '理由',
      placeholder: '拒绝时可以写明原因',
      initial: '',
      multiline: false,
      disabled: false,
    },
    {
      type: 'buttons',
      buttons: [
        { id: 'approve', text: '同意', style: 'primary', disabled: false },
        { id: 'deny', text: '拒绝', style: 'danger', disabled: false },
      ],
    },
    { type: 'note', text: '30 分钟内有效 · 只有管理员可以审批' },
  ],
}

const ANSWER = `## 工作目录

共 **3** 个文件，已写好 \`report.md\`：

| 文件 | 大小 | 修改时间 |
| --- | --- | --- |
| data.csv | 12 KB | 今天 09:12 |
| notes.txt | 840 B | 昨天 |

1. 读取目录
2. 汇总
   - [x] 统计大小
   - [ ] 画图

\`\`\`bash
ls -la /workspace
\`\`\`

> 详见 [文档](https://example.com/docs)，不要点 [这里](javascript:alert(1))。`

export const liveCard: PlaygroundCard = {
  blocks: [
    {
      type: 'panel',
      title: '步骤（2）',
      open: false,
      blocks: [{ type: 'markdown', text: '列出目录 (0.1 s)\n写入文件：report.md (0.0 s)' }],
    },
    { type: 'markdown', text: ANSWER },
    { type: 'markdown', text: "<font color='grey'>演示模型：按固定规则回答</font>" },
  ],
}

export const RUNS: readonly PlaygroundRun[] = [
  {
    id: 'r2',
    state: 'waiting',
    startedAt: Date.now() - 20_000,
    model: 'demo',
    inputTokens: 1_204,
    outputTokens: 88,
    cachedTokens: 0,
    steps: [{ callId: 'c3', tool: 'shell', title: '运行命令：uname -a', status: 'waiting' }],
  },
  {
    id: 'r1',
    state: 'done',
    startedAt: Date.now() - 90_000,
    endedAt: Date.now() - 86_800,
    model: 'demo',
    inputTokens: 8_412,
    outputTokens: 530,
    cachedTokens: 4_096,
    cost: 0.0123,
    currency: 'CNY',
    steps: [
      { callId: 'c1', tool: 'list_files', title: '列出工作目录', status: 'ok', ms: 84 },
      { callId: 'c2', tool: 'write_file', title: '写入文件：report.md', status: 'ok', ms: 12 },
      { callId: 'c4', tool: 'send_file', title: '发送文件：report.md', status: 'failed', ms: 1_840 },
    ],
  },
]

export interface Scene {
  readonly feishu: ScriptedBackend
  readonly wecom: ScriptedBackend
}

/** Both platforms with their messages of the morning. */
export function createScene(): Scene {
  const feishu = createScriptedBackend('feishu', [group, direct], Date.now() - 600_000)
  const wecom = createScriptedBackend('wecom', [wecomGroup], Date.now() - 600_000)
  feishu.keep('report', 'report.md', Buffer.from('# 报告\n'))
  feishu.keep('chart', 'chart.png', PICTURE)
  const say = (...args: Parameters<ScriptedBackend['compose']>): string => {
    const message = feishu.compose(...args)
    feishu.put(message)
    return message.id
  }
  say('oc_ops', bot, { type: 'notice', text: '张三 邀请 驿站 加入了群聊' })
  say('oc_ops', li, { type: 'text', text: '早上好，昨晚的备份跑完了吗？' })
  const asked = say(
    'oc_ops',
    zhang,
    { type: 'text', text: '@驿站 列出工作目录里的文件，然后写一份 report.md 发给我' },
    { mentions: ['驿站'], reactions: [{ emoji: 'OnIt', by: ['驿站'] }] },
  )
  say(
    'oc_ops',
    bot,
    { type: 'card', card: liveCard },
    {
      quote: {
        messageId: asked,
        from: '张三',
        text: '@驿站 列出工作目录里的文件，然后写一份 report.md 发给我',
      },
    },
  )
  say('oc_ops', bot, { type: 'file', file: { id: 'report', name: 'report.md', bytes: 9 } })
  say('oc_ops', bot, { type: 'image', file: { id: 'chart', name: 'chart.png', bytes: PICTURE.length } })
  say('oc_ops', wang, { type: 'text', text: '误发' }, { recalled: true })
  say('oc_ops', li, { type: 'text', text: '@驿站 运行 uname -a' }, { mentions: ['驿站'] })
  feishu.put({ ...feishu.compose('oc_ops', bot, { type: 'card', card: approvalCard }), id: 'approval' })
  say('oc_direct', zhang, { type: 'text', text: '帮助' })
  wecom.put(
    wecom.compose('wr_finance', bot, {
      type: 'markdown',
      text: '**日报** 收入 <font color="warning">-3.2%</font>',
    }),
  )
  feishu.note({
    direction: 'in',
    title: 'im.message.receive_v1',
    outcome: 'ok · 200',
    ok: true,
    detail: { event: { message: { content: '{"text":"@_user_1 运行 uname -a"}' } } },
  })
  feishu.note({
    direction: 'out',
    title: 'POST /open-apis/im/v1/messages/om_1/reply',
    outcome: '200',
    ok: true,
    detail: { body: { msg_type: 'interactive' } },
  })
  feishu.note({
    direction: 'out',
    title: 'PATCH /open-apis/im/v1/messages/om_1',
    outcome: '429',
    ok: false,
    detail: {},
  })
  return { feishu, wecom }
}
