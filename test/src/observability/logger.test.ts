import { describe, expect, it } from 'vitest'
import { createLogger, type LoggerOptions } from '../../../src/observability/logger.ts'
import { createRedactor } from '../../../src/observability/redact.ts'
import { AppError } from '../../../src/protocol/errors.ts'

function stage(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const logger = createLogger({
    level: 'info',
    pretty: false,
    redact: createRedactor(['hunter22-secret']),
    write: (line) => lines.push(line),
    ...options,
  })
  return { logger, lines }
}

describe('createLogger', () => {
  it('writes one JSON line with level, message and fields', () => {
    const { logger, lines } = stage()
    logger.child({ bot: 'ops' }).warn({ chat: 'oc_1' }, 'slow')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'warn',
      msg: 'slow',
      bot: 'ops',
      chat: 'oc_1',
    })
  })

  it('leaves out what is below its level', () => {
    const { logger, lines } = stage({ level: 'warn' })
    logger.info({}, 'chatty')
    expect(lines).toEqual([])
  })

  it.each(['debug', 'info'] as const)('K3: redacts at level %s, in fields, messages and errors', (level) => {
    const { logger, lines } = stage({ level })
    logger.info({ header: 'hunter22-secret' }, 'with hunter22-secret')
    logger.error({ error: new Error('refused hunter22-secret') }, 'failed')
    expect(lines).toHaveLength(2)
    expect(lines.join('')).not.toContain('hunter22')
  })

  it('K3: of an error only code, message, hint and cause are kept, never the request it carries', () => {
    const { logger, lines } = stage()
    const cause = Object.assign(new TypeError('socket closed'), { config: { headers: { a: 'b' } } })
    const error = new AppError('feishu.unreachable', 'no answer', { hint: 'Try again.', cause })
    logger.error({ error: Object.assign(error, { request: { body: 'everything' } }) }, 'failed')
    const { stack, ...kept } = JSON.parse(lines[0] ?? '').error
    expect(kept).toEqual({
      code: 'feishu.unreachable',
      message: 'no answer',
      hint: 'Try again.',
      cause: 'TypeError: socket closed',
    })
    expect(String(stack).split('\n').length).toBeLessThanOrEqual(5)
  })

  it('K3: a terminal gets a short line, also of a quoted secret in a command', () => {
    const { logger, lines } = stage({ pretty: true })
    logger.info({ command: 'curl -d "password=abcd1234" x', count: 2 }, 'ran')
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d INFO {2}ran {2}command=curl -d "password=\[redacted\]" x count=2\n$/,
    )
  })
})
