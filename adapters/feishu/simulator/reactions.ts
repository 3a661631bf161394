import { emojiTypes } from './emoji.ts'
import { pushReaction } from './hearing.ts'
import { objectOf, textOf } from './json.ts'
import { chatOfMessage } from './message-send.ts'
import { changed, requireMessage } from './messages.ts'
import { openIdOf } from './people.ts'
import { type Call, data, type Platform, type Reply, type Route } from './platform.ts'
import { Refusal } from './refusal.ts'
import { needs } from './scopes.ts'
import type { App, Message, Party, Reaction } from './state.ts'

/** Reactions of bots. Emoji names are case-sensitive; a bot removes only its own. */
export function reactionRoutes(platform: Platform): Route[] {
  const path = '/open-apis/im/v1/messages/:message_id/reactions'
  return [
    { method: 'POST', path, needs: needs.reactionsWrite, handle: (call) => add(platform, call) },
    {
      method: 'DELETE',
      path: `${path}/:reaction_id`,
      needs: needs.reactionsWrite,
      handle: (call) => remove(platform, call),
    },
    { method: 'GET', path, needs: needs.reactionsRead, handle: (call) => list(platform, call) },
  ]
}

/** Adds a reaction, or returns the one that the party already has. */
export function addReaction(platform: Platform, message: Message, party: Party, emoji: string): Reaction {
  const known = message.reactions.find(
    (one) => one.emoji === emoji && one.party.kind === party.kind && one.party.id === party.id,
  )
  if (known) return known
  const reaction = { reactionId: platform.state.ids.hex(40), emoji, party, at: platform.state.clock.now() }
  message.reactions.push(reaction)
  changed(platform.state, message)
  pushReaction(platform, chatOfMessage(platform, message), message, reaction, true)
  return reaction
}

/** Takes a reaction away and tells the bots of the chat. */
export function removeReaction(platform: Platform, message: Message, reaction: Reaction): void {
  message.reactions = message.reactions.filter((one) => one !== reaction)
  changed(platform.state, message)
  pushReaction(platform, chatOfMessage(platform, message), message, reaction, false)
}

function target(platform: Platform, call: Call): Message {
  const message = requireMessage(platform.state, call.params['message_id'] ?? '')
  const chat = chatOfMessage(platform, message)
  if (!chat.bots.has(call.app.appId))
    throw new Refusal(231002, 'The operator has no permission to react in this chat')
  return message
}

function view(platform: Platform, app: App, reaction: Reaction): Record<string, unknown> {
  const isUser = reaction.party.kind === 'user'
  return {
    reaction_id: reaction.reactionId,
    operator: {
      operator_id: isUser ? openIdOf(platform.state, reaction.party, app.appId) : reaction.party.id,
      operator_type: isUser ? 'user' : 'app',
    },
    action_time: String(reaction.at),
    reaction_type: { emoji_type: reaction.emoji },
  }
}

function add(platform: Platform, call: Call): Reply {
  const emoji = textOf(objectOf(objectOf(call.body)['reaction_type'])['emoji_type'])
  if (!emojiTypes.has(emoji)) throw new Refusal(231001, 'reaction type is invalid')
  const message = target(platform, call)
  return data(
    view(platform, call.app, addReaction(platform, message, { kind: 'bot', id: call.app.appId }, emoji)),
  )
}

function remove(platform: Platform, call: Call): Reply {
  const message = target(platform, call)
  const reaction = message.reactions.find((one) => one.reactionId === call.params['reaction_id'])
  if (!reaction) throw new Refusal(231010, 'The reaction does not exist')
  if (reaction.party.id !== call.app.appId) throw new Refusal(231007, 'Only own reactions can be deleted')
  removeReaction(platform, message, reaction)
  return data(view(platform, call.app, reaction))
}

function list(platform: Platform, call: Call): Reply {
  const message = target(platform, call)
  const wanted = call.query.get('reaction_type')
  const found = message.reactions.filter((one) => wanted === null || one.emoji === wanted)
  return data({ items: found.map((one) => view(platform, call.app, one)), has_more: false, page_token: '' })
}
