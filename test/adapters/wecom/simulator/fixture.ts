/** A small corp on a manual clock, a raw long-connection client, and an API caller. */
import { WebSocket } from 'ws'
import type { WecomSettings, WecomSimulator } from '../../../../adapters/wecom/simulator/control.ts'
import { createWecomSimulator } from '../../../../adapters/wecom/simulator/simulator.ts'
import { createManualClock, type ManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { createSeededRandom } from '../../../support/random.ts'

export const BOT = 'aibqOps'
export const BOT_NAME = '运维助手'
export const SECRET = 'bot-secret'
export const GROUP = 'wrkSFfCgAAOps'
export const APP = { agentId: 1000002, secret: 'app-secret' }
export const CORP_ID = 'ww0123456789abcdef'
export const AES_KEY = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'
export const TOKEN = 'simToken01'
export const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(40, 7)])

export interface Frame {
  cmd?: string
  headers: { req_id: string }
  errcode?: number
  errmsg?: string
  // biome-ignore lint/suspicious/noExplicitAny: a wire payload under test, read field by field.
  body?: any
}

export interface RawClient {
  readonly frames: Frame[]
  /** Sends a command and resolves with its answer. */
  call(cmd: string, body?: unknown, reqId?: string): Promise<Frame>
  /** The next callback that fits, also one that came already and was not taken. */
  next(fits?: (frame: Frame) => boolean): Promise<Frame>
  closed(): Promise<number>
  close(): void
}

/** A client that speaks bare frames, so that tests see exactly what stands on the wire. */
export async function connect(wsUrl: string): Promise<RawClient> {
  const socket = new WebSocket(wsUrl)
  const frames: Frame[] = []
  const callbacks: Frame[] = []
  const waiting: { fits: (frame: Frame) => boolean; resolve: (frame: Frame) => void }[] = []
  const end = new Promise<number>((resolve) => socket.once('close', resolve))
  let count = 0
  socket.on('message', (data) => {
    const frame: Frame = JSON.parse(data.toString())
    frames.push(frame)
    const index = waiting.findIndex((one) => one.fits(frame))
    const waiter = waiting[index]
    if (!waiter) {
      if (frame.cmd !== undefined) callbacks.push(frame)
      return
    }
    waiting.splice(index, 1)
    waiter.resolve(frame)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return {
    frames,
    call: (cmd, body, reqId = `r${++count}`) =>
      new Promise((resolve) => {
        waiting.push({ fits: (frame) => frame.cmd === undefined && frame.headers.req_id === reqId, resolve })
        socket.send(
          JSON.stringify({ cmd, headers: { req_id: reqId }, ...(body === undefined ? {} : { body }) }),
        )
      }),
    next: (fits = () => true) => {
      const index = callbacks.findIndex(fits)
      const [found] = index < 0 ? [] : callbacks.splice(index, 1)
      if (found) return Promise.resolve(found)
      return new Promise((resolve) =>
        waiting.push({ fits: (frame) => frame.cmd !== undefined && fits(frame), resolve }),
      )
    },
    closed: () => end,
    close: () => socket.close(),
  }
}

export interface Fixture extends WecomSimulator {
  clock: ManualClock
}

/** Zhang San and Li Si in 研发部 (led by Li Si), Wang Wu in 财务部; one group with one bot and one app. */
export async function startCorp(settings: Partial<WecomSettings> = {}): Promise<Fixture> {
  const clock = createManualClock()
  const simulator = await createWecomSimulator({
    clock,
    random: createSeededRandom('wecom'),
    logger: createCollectingLogger(),
    settings,
  })
  const { corp } = simulator.control
  corp.department({ id: 2, name: '研发部', parentId: 1, leaders: ['LiSi'] })
  corp.department({ id: 3, name: '财务部', parentId: 1 })
  corp.department({ id: 4, name: '平台组', parentId: 2 })
  corp.member({ userid: 'zhangsan', name: '张三', departments: [2], directLeaders: ['LiSi'] })
  corp.member({ userid: 'LiSi', name: '李四', departments: [2], leads: [2], position: '研发经理' })
  corp.member({ userid: 'wangwu', name: '王五', departments: [3] })
  corp.member({ userid: 'woLZguest', name: '外部客人', departments: [], foreign: 'wwOther' })
  corp.bot({ botId: BOT, name: BOT_NAME, secret: SECRET })
  corp.app({ ...APP, name: '审批助手', visible: { departments: [2] }, approvalAccess: true })
  corp.group({
    chatId: GROUP,
    name: '运维群',
    members: ['zhangsan', 'LiSi', 'wangwu', 'woLZguest'],
    bots: [BOT],
    robots: [{ key: 'robot-key', name: '日报' }],
  })
  return Object.assign(simulator, { clock })
}

/** A connected and subscribed bot. */
export async function subscribed(simulator: WecomSimulator): Promise<RawClient> {
  const client = await connect(simulator.wsUrl)
  const answer = await client.call('aibot_subscribe', { bot_id: BOT, secret: SECRET })
  if (answer.errcode !== 0) throw new Error(`subscribe failed: ${answer.errmsg}`)
  return client
}

// biome-ignore lint/suspicious/noExplicitAny: a wire payload under test, read field by field.
export const jsonOf = (response: Response): Promise<any> => response.json()

/** Calls the API; a body makes it a POST. */
export async function api(
  simulator: WecomSimulator,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: a wire payload under test, read field by field.
): Promise<any> {
  const response = await fetch(`${simulator.url}/cgi-bin/${path}`, {
    headers: { connection: 'close' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  return jsonOf(response)
}

export async function tokenOf(simulator: WecomSimulator, secret = APP.secret): Promise<string> {
  const answer = await api(simulator, `gettoken?corpid=${CORP_ID}&corpsecret=${secret}`)
  return answer.access_token
}

/** A card that the platform takes as it is. */
export const buttonCard = (taskId: string, title = '执行命令需要确认') => ({
  card_type: 'button_interaction',
  main_title: { title, desc: '会话 deploy-42' },
  button_list: [
    { text: '允许', style: 1, key: 'approve' },
    { text: '拒绝', style: 3, key: 'deny' },
  ],
  task_id: taskId,
})

export const cardBody = (card: object) => ({ msgtype: 'template_card', template_card: card })

export const streamBody = (id: string, content: string, finish = false) => ({
  msgtype: 'stream',
  stream: { id, finish, content },
})
