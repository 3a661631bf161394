import {
  directChat,
  type WecomSettings,
  type WecomSimulator,
} from '../../../adapters/wecom/simulator/control.ts'
import { DEMO, seedDemo } from '../../../adapters/wecom/simulator/seed.ts'
import { createWecomSimulator } from '../../../adapters/wecom/simulator/simulator.ts'
import type { MessageView } from '../../../adapters/wecom/simulator/view.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import type { Clock } from '../../../src/protocol/ports.ts'
import { createSystemRandom } from '../../../src/system/random.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import type { Company, Person, Shown } from './company.ts'

export interface WecomCompany extends Company {
  readonly simulator: WecomSimulator
  readonly aibotId: string
}

export interface WecomCompanyOptions {
  readonly settings?: Partial<WecomSettings>
  /** Further keys of the bot in `yizhan.yaml`, such as `groupCards: all`. */
  readonly bot?: string
}

const words = createTranslate('zh-CN')
/** What a bubble says when the answer goes on elsewhere. */
const ELSEWHERE = [
  ...['waiting', 'below', 'continued', 'moved'].map((name) => words(`wecom.live.${name}`)),
  words('live.continued_below'),
]

/** The demo company: 王芳 is the administrator; 张三 and 李四 are not. */
export async function openWecomCompany(
  clock: Clock,
  options: WecomCompanyOptions = {},
): Promise<WecomCompany> {
  const simulator = await createWecomSimulator({
    clock,
    random: createSystemRandom(),
    logger: createCollectingLogger(),
    ...(options.settings ? { settings: options.settings } : {}),
  })
  const { control } = simulator
  seedDemo(control, clock.now())
  const aibotId = DEMO.aibotId
  const person = (id: string, name: string): Person => ({ id, name, key: `wecom:${id}` })
  const people = {
    admin: person('wangfang', '王芳'),
    member: person('zhangsan', '张三'),
    other: person('lisi', '李四'),
  }
  const chatId: string = DEMO.financeGroup
  const isGroup = (chat: string): boolean =>
    control.corp.snapshot().groups.some((group) => group.chatId === chat)
  const shown = (chat = chatId): readonly Shown[] =>
    control
      .transcript(chat)
      .filter(({ sender }) => sender.type === 'bot' || sender.type === 'app')
      .map(shownOf)
  let groups = 0
  return {
    platform: 'wecom',
    botYaml: `{ id: ops, platform: wecom, name: ${DEMO.botName}, aibot: { botId: ${aibotId}, secret: ${DEMO.aibotSecret}, wsUrl: "${simulator.wsUrl}" }, app: { corpId: ${DEMO.corpId}, agentId: ${DEMO.agentId}, secret: ${DEMO.appSecret}, baseUrl: "${simulator.url}" }${options.bot ? `, ${options.bot}` : ''} }`,
    simulator,
    aibotId,
    people,
    chatId,
    chats: () => [
      ...control.corp.snapshot().groups.map((group) => group.chatId),
      ...Object.values(people).map(({ id }) => directChat(aibotId, id)),
    ],
    addGroup: (name, members) => {
      const id = `wrkGroup${++groups}`
      control.corp.group({ chatId: id, name, members: members.map((one) => one.id), bots: [aibotId] })
      return id
    },
    direct: (who) => directChat(aibotId, who.id),
    say: (text, { from = people.member, chatId: chat = chatId, plain = false } = {}) => {
      const at = plain || !isGroup(chat) ? {} : { at: { bot: aibotId } }
      return control.people.send({ chat, from: from.id, type: 'text', text, ...at })
    },
    recall: (messageId, from) => control.people.recall({ messageId, from: from.id }),
    press: async (messageId, label, from) => {
      const content = control.message(messageId, from.id)?.content
      const button = content?.type === 'card' && content.card.buttons.find((one) => one.text === label)
      if (!button) throw new Error(`no button ${label} on ${messageId}`)
      const view = await control.people.click({ messageId, from: from.id, key: button.key })
      return view.outcome === 'updated' ? 'changed' : 'unchanged'
    },
    shown,
    finals: (chat) => shown(chat).filter((message) => isFinal(control.message(message.id), message)),
    online: () => control.corp.online(aibotId),
    redeliver: () => {
      throw new Error('WeCom never repeats what came over the long connection')
    },
    onChange: (listener) => control.onChange(listener),
    stop: () => simulator.stop(),
  }
}

/** Answers run as streams; what says that it goes on elsewhere is not the end. */
function isFinal(view: MessageView | undefined, message: Shown): boolean {
  if (view?.content.type !== 'stream' || !message.finished) return false
  return !ELSEWHERE.some((note) => message.text.includes(note))
}

function shownOf({ id, content }: MessageView): Shown {
  const base = { id, buttons: [], finished: true }
  switch (content.type) {
    case 'text':
    case 'markdown':
      return { ...base, text: content.text }
    case 'stream':
      return { ...base, text: content.text, finished: content.finished }
    case 'card': {
      const { card } = content
      const rows = card.rows.map((row) => `${row.name} ${row.value}`)
      const buttons = card.buttons.filter((button) => button.key !== 'noop').map((button) => button.text)
      const parts = [card.title, card.description, card.subTitle, ...rows]
      return { ...base, text: parts.filter((part) => part !== undefined).join('\n'), buttons }
    }
    case 'file':
    case 'image':
    case 'voice':
    case 'video': {
      const { name, bytes } = content.file
      return { ...base, text: name, file: { name, bytes: Buffer.from(bytes) } }
    }
    default:
      return { ...base, text: '' }
  }
}
