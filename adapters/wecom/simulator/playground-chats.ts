/** The chats of one bot as the page lists them, and the two ways of naming a chat. */
import type { PlaygroundChat, PlaygroundPerson } from '../../../src/protocol/playground.ts'
import type { WecomControl } from './control.ts'
import { appChat, directChat } from './corp.ts'
import { sameUser } from './org.ts'
import type { Sender } from './view.ts'

export interface WecomPlaygroundDeps {
  readonly control: WecomControl
  /** Id of our bot in `yizhan.yaml`. */
  readonly botId: string
  /** The AI bot and, if there is one, the app in the simulator. */
  readonly aibotId: string
  readonly agentId?: number
  /** userids that the configuration names as admins. */
  readonly admins: readonly string[]
}

/** Prefix of a chat with the app; the adapter names such chats in the same way. */
const APP_CHAT = 'app:'

/** The simulator's key of a chat that the adapter and the page call `id`: chatid, userid or `app:<userid>`. */
export function keyOf(deps: WecomPlaygroundDeps, id: string): string {
  if (deps.control.corp.snapshot().groups.some((group) => group.chatId === id)) return id
  if (id.startsWith(APP_CHAT) && deps.agentId !== undefined) {
    return appChat(deps.agentId, id.slice(APP_CHAT.length))
  }
  return directChat(deps.aibotId, id)
}

/** The page's name of a chat key. */
export function idOf(key: string): string {
  const [kind, , userid] = key.split(':')
  if (userid === undefined) return key
  return kind === 'app' ? `${APP_CHAT}${userid}` : userid
}

export function personOf(deps: WecomPlaygroundDeps, sender: Sender): PlaygroundPerson {
  if (sender.type === 'member')
    return { id: sender.userid, name: sender.name, role: roleOf(deps, sender.userid) }
  const id =
    sender.type === 'bot' ? sender.botId : sender.type === 'app' ? String(sender.agentId) : sender.key
  return { id, name: sender.name, role: 'bot' }
}

const roleOf = ({ admins }: WecomPlaygroundDeps, userid: string): 'admin' | 'member' =>
  admins.some((admin) => sameUser(admin, userid)) ? 'admin' : 'member'

/** Groups with the bot first, then the single chats that were opened or written in. */
export function chatsOf(deps: WecomPlaygroundDeps, opened: ReadonlySet<string>): PlaygroundChat[] {
  const { control, botId, aibotId, agentId } = deps
  const corp = control.corp.snapshot()
  const bot = corp.bots.find((one) => one.botId === aibotId)
  const app = corp.apps.find((one) => one.agentId === agentId)
  const botPerson: PlaygroundPerson = { id: aibotId, name: bot?.name ?? aibotId, role: 'bot' }
  const memberOf = (userid: string): PlaygroundPerson => ({
    id: userid,
    name: corp.members.find((one) => sameUser(one.userid, userid))?.name ?? userid,
    role: roleOf(deps, userid),
  })
  const groups = corp.groups
    .filter((group) => group.bots.includes(aibotId))
    .map(
      (group): PlaygroundChat => ({
        id: group.chatId,
        title: group.name,
        kind: 'group',
        botId,
        members: [...group.members.map(memberOf), botPerson],
        closed: false,
      }),
    )
  const singles = corp.members.flatMap(({ userid, name }) => {
    const direct = (id: string, other: PlaygroundPerson): PlaygroundChat[] =>
      opened.has(id) || control.transcript(keyOf(deps, id)).length > 0
        ? [
            {
              id,
              title: `${name} · ${other.name}`,
              kind: 'direct',
              botId,
              members: [memberOf(userid), other],
              closed: false,
            },
          ]
        : []
    const appPerson: PlaygroundPerson = { id: String(agentId), name: app?.name ?? '', role: 'bot' }
    return [...direct(userid, botPerson), ...(app ? direct(`${APP_CHAT}${userid}`, appPerson) : [])]
  })
  return [...groups, ...singles]
}
