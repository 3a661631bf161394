/**
 * The process dies in the flows beside the main job, on both platforms: a file on its way into the
 * chat, a scheduled run, a call of an MCP server, a command of the chat. The next start loses and doubles nothing.
 */
import { describe, expect, it } from 'vitest'
import { moody } from '../src/mcp/client/bench.ts'
import type { Shown } from './support/company.ts'
import { untilConnected } from './support/mcp-servers.ts'
import { openStage, type Stage } from './support/stage.ts'

const TEST_MS = 120_000

const shown = ({ company }: Stage, what: (message: Shown) => boolean): readonly Shown[] =>
  company.shown().filter(what)

describe.concurrent.each(['feishu', 'wecom'] as const)(
  'R1–R8: kill -9 beside the main job on %s',
  (platform) => {
    it.each([
      ['after the file was written', 'effect_done:1', 0],
      ['before the file is queued', 'intent_written:2', 0],
      ['after the file was queued', 'effect_done:2', 1],
    ] as const)(
      'a file, %s: one answer, and the file never twice',
      { timeout: TEST_MS },
      async (_when, fault, atLeast) => {
        await using stage = await openStage(platform)
        const { company } = stage
        await stage.start(fault)
        await stage.online()
        await company.say('列出工作目录里的文件，然后写一份 report.md 发给我')
        expect(await stage.ended()).toBe('SIGKILL')
        await stage.start()
        await stage.waitFor(() => company.finals()[0], 'the answer')
        await stage.aftermath()
        expect(company.finals()).toHaveLength(1)
        const files = shown(stage, ({ file }) => file !== undefined)
        expect(files.length).toBeLessThanOrEqual(1)
        expect(files.length).toBeGreaterThanOrEqual(atLeast)
      },
    )

    it.each(['mid_stream', 'message_sent:2'])(
      'a scheduled run, at %s: its result comes once',
      { timeout: TEST_MS },
      async (fault) => {
        await using stage = await openStage(
          platform,
          ({ chatId, people }) => `
schedules:
  - { id: nightly, cron: "0 3 1 1 *", to: { bot: ops, chat: "${chatId}" }, prompt: 看看工作目录里有哪些文件, owner: "${people.admin.key}" }
`,
        )
        const { company } = stage
        const results = (): readonly Shown[] => shown(stage, ({ text }) => text.includes('工作目录是空的'))
        await stage.start(fault)
        await stage.online()
        await company.say('/schedule run nightly', { from: company.people.admin })
        expect(await stage.ended()).toBe('SIGKILL')
        await stage.start()
        await stage.waitFor(() => results()[0], 'the result')
        await stage.aftermath()
        expect(results()).toHaveLength(1)
      },
    )

    it.each([
      ['before it begins', 'intent_written', 0],
      ['after its effect', 'effect_done', 1],
    ] as const)(
      'a call of an MCP server, %s: never made again',
      { timeout: TEST_MS },
      async (_when, fault, made) => {
        const mood = moody()
        const servers = `mcp: { discover: false, servers: { moody: ${JSON.stringify(mood.entry)} } }`
        await using stage = await openStage(platform, () => servers)
        const { company } = stage
        await stage.start(fault)
        await stage.online()
        // A turn waits two seconds for a server, and does without it then.
        await untilConnected(company, 'moody')
        await company.say('调用 mcp__moody__greet {"who":"x"}')
        const card = await stage.card()
        // Nobody answers a click on a service that is just dying.
        company.press(card.id, '允许', company.people.admin).catch(() => {})
        expect(await stage.ended()).toBe('SIGKILL')
        await stage.start()
        await stage.waitFor(() => company.finals()[0], 'the answer')
        await stage.aftermath()
        expect(mood.calls()).toBe(made)
        expect(company.finals()).toHaveLength(1)
      },
    )

    it('a command of the chat, after its row: it is answered once', { timeout: TEST_MS }, async () => {
      await using stage = await openStage(platform)
      const { company } = stage
      const answers = (): readonly Shown[] =>
        shown(stage, ({ text }) => text.includes(company.people.member.key))
      await stage.start('inbox_stored')
      await stage.online()
      const id = await company.say('/whoami')
      expect(await stage.ended()).toBe('SIGKILL')
      await stage.start()
      if (platform === 'feishu') company.redeliver(id)
      await stage.waitFor(() => answers()[0], 'the answer')
      await stage.aftermath()
      expect(answers()).toHaveLength(1)
    })
  },
)
