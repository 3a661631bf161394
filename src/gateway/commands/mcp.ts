import type { Command } from './command.ts'

/** MCP servers: what they are, what waits for a yes, and an administrator's yes. */
export const mcp: Command = async ({ deps, event, args, text }) => ({
  markdown: await deps.mcp({
    args,
    text,
    user: event.sender.user,
    isAdmin: deps.access.isAdmin(event.sender.user),
    isDirect: event.address.chatType === 'direct',
  }),
})
