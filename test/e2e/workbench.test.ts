import { afterEach, describe, expect, it } from 'vitest'
import type { TranscriptMessage } from '../../adapters/feishu/simulator/index.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

const YAML = 'workbench: { terminal: true, task: true, settings: true }'

let house: FeishuHouse
afterEach(() => house?.stop())

/** A card that can still be answered and shows these words. */
const card = (words: RegExp, seen: ReadonlySet<string> = new Set()): Promise<TranscriptMessage> =>
  house.until(
    () =>
      house
        .answers()
        .find(
          (message) =>
            !seen.has(message.messageId) && message.text.includes('允许') && words.test(message.text),
        ),
    `a card with ${words}`,
  )

const click = (messageId: string, on: string) =>
  house.control.click({ userId: house.people.admin.userId, messageId, on })

const said = (words: RegExp): Promise<TranscriptMessage> =>
  house.until(() => house.answers().find((message) => words.test(message.text)), `an answer with ${words}`)

const taskState = (): Promise<{ id: string; stage: string; execution_state: string; run_count: number }> =>
  house.app.store.db
    .selectFrom('workbench_tasks')
    .select(['id', 'stage', 'execution_state', 'run_count'])
    .executeTakeFirstOrThrow()

const untilTask = (stage: string, execution_state: string): Promise<void> =>
  expect.poll(taskState, { timeout: 30_000 }).toMatchObject({ stage, execution_state })

describe('the workbench in a chat', { timeout: 90_000 }, () => {
  it('a terminal is opened and written after approvals, and read', async () => {
    house = await openFeishuHouse({ yaml: YAML })
    house.ask('打开终端：echo $((6*7)) && tty')
    const opening = await card(/打开终端/)
    await click(opening.messageId, '允许')
    const typing = await card(/echo \$\(\(6\*7\)\)/, new Set([opening.messageId]))
    expect(typing.text).toContain('在终端里输入并回车')
    await click(typing.messageId, '允许')
    await said(/终端里是这样的/)
    house.ask('查看终端')
    const shown = await house.until(
      () => house.answers().find((message) => /42[\s\S]*\/dev\/pts\/0/.test(message.text)),
      'the output of the terminal',
    )
    expect(shown.text).toContain('live')
  })

  it('a task runs an agent, is stopped, resumed, completed and verified by a person', async () => {
    house = await openFeishuHouse({ yaml: YAML })
    house.ask('新建任务：运行 uname -a')
    await said(/任务已经开始/)
    const first = await card(/uname -a/)
    const { id } = await taskState()
    house.ask('/任务')
    expect((await said(/任务板（1 项）/)).text).toContain('等待审批')

    house.ask(`/任务 停止 ${id}`)
    await said(/已停止，执行 1 次/)
    await untilTask('executing', 'stopped')
    const open = async () =>
      (await house.runs()).filter((run) => run.session_id.startsWith('task:') && run.ended_at === null)
    await expect.poll(open, { timeout: 30_000 }).toEqual([])
    house.ask(`/任务 继续 ${id}`)
    await said(/执行 2 次/)
    const second = await card(/uname -a/, new Set([first.messageId]))
    await click(second.messageId, '允许')

    const waiting = await said(/任务待验收/)
    await untilTask('completed', 'completed')
    const stranger = { userId: house.people.other.userId, messageId: waiting.messageId, on: '通过' }
    expect((await house.control.click(stranger)).toast?.type).toBe('error')
    expect((await taskState()).stage).toBe('completed')
    const verified = await click(waiting.messageId, '通过')
    expect(verified.toast?.type).toBe('success')
    await untilTask('verified', 'completed')
    expect((await said(/已通过/)).messageId).toBe(waiting.messageId)
  })

  it('R: a task that waits for a person goes on after a restart', async () => {
    house = await openFeishuHouse({ yaml: YAML })
    house.ask('新建任务：运行 uname -a')
    const asked = await card(/uname -a/)
    await house.restart()
    await click(asked.messageId, '允许')
    await said(/任务待验收/)
    await untilTask('completed', 'completed')
    expect((await taskState()).run_count).toBe(1)
  })

  it('the language of the whole service changes with the click of an administrator, and back', async () => {
    house = await openFeishuHouse({ yaml: YAML })
    house.ask('把语言改为 en')
    const asked = await card(/语言/)
    await click(asked.messageId, '允许')
    await said(/Done|The language|语言已改为/)
    house.ask('/status')
    await said(/Idle/)
    await house.restart()
    house.ask('/whoami')
    await said(/Your id/)
  })
})
