/** A click on a card: the event goes out, and for 5 seconds the client waits for a changed card. */
import type { AppCards } from './app-cards.ts'
import type { AppLink } from './app-link.ts'
import type { BotLink } from './bot-link.ts'
import type { StoredMessage } from './chats.ts'
import type { PersonClick } from './control.ts'
import type { CorpApp, CorpBot } from './corp.ts'
import { sameUser } from './org.ts'
import { placeOf } from './place.ts'
import { disallow } from './refusal.ts'
import type { CardView, ClickView } from './view.ts'
import type { World } from './world.ts'

interface Deps {
  world: World
  botLink: BotLink
  appLink: AppLink
  cards: AppCards
}

const WINDOW_MS = 5000

interface Selection {
  questionKey: string
  optionIds: string[]
}

function selectionsOf(card: CardView, chosen: Record<string, string[]>): Selection[] {
  for (const key of Object.keys(chosen)) {
    if (!card.choices.some((choice) => choice.questionKey === key))
      throw disallow(`the card does not ask ${key}`)
  }
  return card.choices.map((choice) => {
    const optionIds = choice.disabled
      ? choice.selectedIds
      : (chosen[choice.questionKey] ?? choice.selectedIds)
    const unknown = optionIds.find((id) => !choice.options.some((option) => option.id === id))
    if (unknown !== undefined) throw disallow(`${choice.questionKey} has no option ${unknown}`)
    return { questionKey: choice.questionKey, optionIds }
  })
}

/** The clicked button's address, or undefined for one that calls back; throws when the card has no such button. */
function pressed(card: CardView, key: string): { url?: string } {
  if (card.replaceText !== undefined) throw disallow('the buttons of this card are replaced by a grey text')
  const button = card.buttons.find((one) => one.key === key)
  if (!button && card.submit?.key !== key) throw disallow(`the card shows no button ${key}`)
  return button?.url === undefined ? {} : { url: button.url }
}

/** Hands a click to the app or bot of a card; `settle` is told whether the card was changed. False: nobody listens. */
type Fire = (
  message: StoredMessage,
  click: PersonClick,
  selections: Selection[],
  settle: (updated: boolean) => void,
) => boolean

/** The app gets it in its callback, as XML with capital names. */
function fireToApp({ world, appLink, cards }: Deps, app: CorpApp): Fire {
  return (message, click, selections, settle) => {
    if (!app.callback) return false
    const card = world.chats.cardFor(message, click.from)
    const items = selections.map((one) => ({
      QuestionKey: one.questionKey,
      OptionIds: { OptionId: one.optionIds },
    }))
    appLink.event(app, {
      userid: useridOf(world, click),
      chat: message.chat,
      name: 'template_card_event',
      fields: {
        EventKey: click.key,
        TaskId: card.taskId ?? '',
        CardType: card.cardType,
        ResponseCode: cards.codeOfCopy(app, message),
        ...(items.length > 0 ? { SelectedItems: { SelectedItem: items } } : {}),
      },
      clicked: { copy: message, settle },
    })
    return true
  }
}

/** The bot gets it as JSON, by its own link. */
function fireToBot({ world, botLink }: Deps, bot: CorpBot): Fire {
  return (message, click, selections, settle) => {
    const card = world.chats.cardFor(message, click.from)
    const selected = selections.map((one) => ({
      question_key: one.questionKey,
      option_ids: { option_id: one.optionIds },
    }))
    const event = {
      card_type: card.cardType,
      event_key: click.key,
      task_id: card.taskId ?? '',
      ...(selected.length > 0 ? { selected_items: { selected_item: selected } } : {}),
    }
    return botLink.click(bot, { message, userid: useridOf(world, click), event, taskId: card.taskId, settle })
  }
}

const useridOf = (world: World, click: PersonClick): string =>
  world.org.member(click.from)?.userid ?? click.from

function fireOf(deps: Deps, { sender }: StoredMessage): Fire {
  const { org } = deps.world
  const app = sender.type === 'app' ? org.app(sender.agentId) : undefined
  if (app) return fireToApp(deps, app)
  const bot = sender.type === 'bot' ? org.bot(sender.botId) : undefined
  return bot ? fireToBot(deps, bot) : () => false
}

/** Resolves to what the person sees once the card was changed, or after the 5 seconds. */
export function createClicks(deps: Deps): (click: PersonClick) => Promise<ClickView> {
  const { world } = deps
  return async (click) => {
    const message = world.chats.find(click.messageId)
    if (message?.content.type !== 'card') throw disallow('this message is not a card')
    const place = placeOf(world, message.chat)
    const viewers = place.type === 'group' ? place.group.members : [place.userid]
    if (!viewers.some((id) => sameUser(id, click.from)))
      throw disallow(`${click.from} does not see this card`)
    const card = world.chats.cardFor(message, click.from)
    const button = pressed(card, click.key)
    if (button.url !== undefined) return { outcome: 'opened', card }
    const selections = selectionsOf(card, click.selections ?? {})
    const outcome = await new Promise<ClickView['outcome']>((resolve) => {
      const cancel = world.clock.after(WINDOW_MS, () => resolve('unanswered'))
      const settle = (updated: boolean): void => {
        cancel()
        resolve(updated ? 'updated' : 'unanswered')
      }
      if (fireOf(deps, message)(message, click, selections, settle)) return
      cancel()
      resolve('undelivered')
    })
    return { outcome, card: world.chats.cardFor(message, click.from) }
  }
}
