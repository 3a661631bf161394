import type { Command } from './command.ts'

/** The ids that configuration needs: the person, the chat, and what the person may do. */
export const whoami: Command = async ({ deps, event, text }) => {
  const { user } = event.sender
  const yes = (value: boolean): string => text(value ? 'command.yes' : 'command.no')
  return {
    markdown: text('command.whoami', {
      user,
      chat: `chat:${event.address.botId}:${event.address.chatId}`,
      admin: yes(deps.access.isAdmin(user)),
      operate: yes(deps.access.mayOperate(user, event.address)),
    }),
  }
}
