/** A self-built app as a way out: text and files to one member, and cards that change by one-time codes. */
import type { Card } from '../../src/protocol/card.ts'
import { type AppCallsDeps, createAppCalls } from './app-calls.ts'
import { paintCard } from './card.ts'
import { neutralMarkdown } from './markdown.ts'
import { asLive, deferLive, frozen, type Route, saidAlready } from './route.ts'
import { inner, sayFirst } from './socket-card.ts'

export interface AppRoute extends Route {
  /** Repaints the card of a click with that click's one-time code. */
  repaint(user: string, card: Card, taskId: string, responseCode: string): Promise<void>
}

export function createAppRoute(deps: AppCallsDeps): AppRoute {
  const { api } = deps
  const { post, text, file } = createAppCalls(deps)

  const repaint: AppRoute['repaint'] = async (user, card, taskId, responseCode) => {
    const body = {
      userids: [user],
      agentid: api.config.agentId,
      response_code: responseCode,
      template_card: paintCard(card, 'app', { taskId }),
    }
    await api.post('message/update_template_card', body, { repeatable: false })
  }

  const send: Route['send'] = async (to, value, options) => {
    switch (value.type) {
      case 'text':
        return text(to, 'text', value.text, options)
      case 'markdown':
        return text(to, 'markdown', neutralMarkdown(value.markdown), options)
      case 'file':
        return file(to, value.file, options)
      case 'live':
        return deferLive(value.live, options, (content, own) =>
          text(to, 'markdown', neutralMarkdown(content), own),
        )
      case 'card': {
        const painted = paintCard(value.card, 'app', { more: deps.text('wecom.card.more') })
        await sayFirst(value.card, options, (words) => text(to, 'markdown', words, inner(options)))
        const sent = await post(to, { msgtype: 'template_card', template_card: painted }, options)
        return { ...sent, handle: { ...sent.handle, taskId: painted.task_id } }
      }
    }
  }

  const update: Route['update'] = async (sent, to, value, options) => {
    const { kind, user, responseCode, taskId } = sent.handle
    const live = asLive(value)
    if (live && saidAlready(sent, live)) return sent
    if (live && kind === 'deferred') {
      return deferLive(live, options, (content, own) => text(to, 'markdown', neutralMarkdown(content), own))
    }
    if (value.type !== 'card' || typeof responseCode !== 'string') throw frozen('this app message')
    await repaint(String(user), value.card, String(taskId), responseCode)
    // The code is spent whether or not anybody looks; only a new click brings another.
    return { messageId: sent.messageId, handle: { kind: 'app', user: String(user) } }
  }

  return { send, update, repaint }
}
