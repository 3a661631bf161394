import { expect, it } from 'vitest'
import { createTranslate } from '../../../../src/locale/index.ts'
import { troubleOf, troubleText } from '../../../../src/mcp/client/trouble.ts'
import { AppError } from '../../../../src/protocol/errors.ts'

const zh = createTranslate('zh-CN')

it('what is wrong is said in the language of the chat, with the words of whoever failed behind it', () => {
  expect(troubleText('ended', 'it ended with code 3', zh)).toBe('连接断开（原文：it ended with code 3）')
  expect(troubleText('ended', 'it ended with code 3', createTranslate('en'))).toBe(
    'the connection was lost (it ended with code 3)',
  )
})

it('a server that is ready has nothing to say', () => {
  expect(troubleText('connect', '', zh)).toBe('')
})

it('errors of ours, of the protocol and of the network have kinds', async () => {
  const { McpError } = await import('@modelcontextprotocol/sdk/types.js')
  const kinds = await Promise.all(
    [
      new AppError('mcp.program_missing', 'there is no program "x"'),
      new AppError('sandbox.unavailable', 'no sandbox'),
      new AppError('mcp.too_large', 'too large'),
      new McpError(-32_001, 'Request timed out'),
      new McpError(-32_000, 'Connection closed'),
      new McpError(-32_603, 'internal error'),
      new TypeError('fetch failed'),
    ].map(troubleOf),
  )
  expect(kinds).toEqual(['program', 'sandbox', 'connect', 'timeout', 'ended', 'connect', 'connect'])
})
