/** MCP servers of others, and callers of ours. */
import { z } from 'zod'
import { shortId, unsetText, url, userKey } from './values.ts'

export const mcpServer = z
  .strictObject({
    /** A program that speaks MCP on its standard input and output; runs in the sandbox. */
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    /** The program's whole environment beside PATH, HOME, LANG, TERM and TZ. */
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().optional(),
    /** Or a server on the network. */
    url: url.optional(),
    transport: z.enum(['http', 'sse']).default('http'),
    headers: z.record(z.string(), z.string()).default({}),
    /** Credentials of a client registered at the server's authorization server; without them it registers itself. */
    oauth: z.strictObject({ clientId: z.string().min(1), clientSecret: z.string().optional() }).optional(),
    /** Overrides `mcp.network` for this program. */
    network: z.enum(['none', 'host']).optional(),
    disabled: z.boolean().default(false),
  })
  .refine((server) => (server.command === undefined) !== (server.url === undefined), {
    message: 'an MCP server needs either command or url',
  })

export const mcpCaller = z.strictObject({
  name: shortId,
  /** Sent as "Authorization: Bearer …"; a caller without one can only be the stdio command. */
  token: z.union([z.string().min(16, 'a token of at least 16 characters'), unsetText]).optional(),
  /** Groups (workstation, workbench, agent, all) and names of single tools. */
  tools: z.array(z.string()).min(1).default(['workstation']),
  /** Where calls that need a person ask. */
  chat: z
    .strictObject({
      bot: z.string(),
      id: z.string().min(1),
      type: z.enum(['group', 'direct']).default('group'),
    })
    .optional(),
  /** In whose name calls are made; without it the caller is nobody's and administrators decide. */
  user: userKey.optional(),
  /** Chats whose workspaces the workbench tools may see, beside the caller's own. */
  workspaces: z
    .array(z.strictObject({ bot: z.string(), id: z.string().min(1), thread: z.string().optional() }))
    .default([]),
})
