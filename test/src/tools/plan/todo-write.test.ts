import { expect, it } from 'vitest'
import { errorOf, textOf, toolBench } from '../bench.ts'

it('replaces the list and counts it', async () => {
  using bench = toolBench()
  const todos = [
    { content: '看日志', status: 'completed' },
    { content: '修复', status: 'in_progress' },
    { content: '回归', status: 'pending' },
  ]
  expect(textOf(await bench.call('todo_write', { todos }))).toBe(
    '3 items: 1 completed, 1 in progress, 1 pending.',
  )
  expect(bench.todos).toEqual([todos])
})

it('refuses an empty list, more than 50 items and unknown states', async () => {
  using bench = toolBench()
  const item = { content: 'a', status: 'pending' }
  for (const todos of [[], Array(51).fill(item), [{ ...item, status: 'done' }]]) {
    expect(errorOf(await bench.call('todo_write', { todos })).type).toBe('invalid_argument')
  }
  expect(bench.todos).toEqual([])
})
