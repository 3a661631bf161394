import { parseJson } from './json.ts'
import { chatOfMessage } from './message-send.ts'
import { resourceKeys } from './messages.ts'
import type { Call, Platform } from './platform.ts'
import { Refusal } from './refusal.ts'
import type { Message, Resource } from './state.ts'

const maxBytes = 100 * 1024 * 1024
const closedTypes = ['merge_forward', 'interactive', 'sticker', 'folder']

/** The file that a message carries, if this bot may have it. */
export function requireResourceMessage(platform: Platform, call: Call): Resource {
  const type = call.query.get('type')
  if (type !== 'image' && type !== 'file')
    throw new Refusal(234001, 'Invalid request param, type must be image or file')
  const message = platform.state.messages.get(call.params['message_id'] ?? '')
  if (!message) throw new Refusal(234003, 'File not in msg')
  checkAccess(platform, call, message)
  const key = call.params['key'] ?? ''
  const resource = platform.state.resources.get(key)
  if (!resource || !resourceKeys(parseJson(message.content)).includes(key))
    throw new Refusal(234003, 'File not in msg')
  if (resource.kind !== type)
    throw new Refusal(234001, 'Invalid request param, type does not match the resource')
  if (resource.bytes.length > maxBytes) throw new Refusal(234037, 'The file is larger than 100 MB')
  return resource
}

function checkAccess(platform: Platform, call: Call, message: Message): void {
  const chat = chatOfMessage(platform, message)
  if (!chat.bots.has(call.app.appId)) throw new Refusal(234004, 'App is not in the chat')
  if (message.recalled) throw new Refusal(230110, 'The message has been deleted')
  if (message.bundled || closedTypes.includes(message.type))
    throw new Refusal(234043, 'Unsupported message type')
  if (chat.restricted) throw new Refusal(234038, 'Downloading is forbidden in restricted mode')
}
