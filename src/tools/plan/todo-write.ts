import { z } from 'zod'
import { defineTool } from '../../protocol/tool.ts'

const MOST = 50

export const todoWriteTool = defineTool({
  name: 'todo_write',
  description:
    'Replaces the to-do list that people see under your answer. Use it for work of three steps or more, one item in progress at a time, and mark each item completed as soon as it is.',
  input: z.strictObject({
    todos: z
      .array(
        z.strictObject({
          content: z.string().min(1).max(300).describe('What is to be done, in the language of the chat.'),
          status: z.enum(['pending', 'in_progress', 'completed']).describe('Where it stands.'),
        }),
      )
      .min(1)
      .max(MOST)
      .describe(`The whole list, 1 to ${MOST} items; it replaces the one before.`)
      .meta({ examples: [[{ content: '跑测试', status: 'in_progress' }]] }),
  }),
  readOnly: true,
  risk: 'read',
  title: (args, text) =>
    text('tools.todo_write.title', {
      total: args.todos.length,
      done: args.todos.filter((todo) => todo.status === 'completed').length,
    }),
  run(args, ctx) {
    ctx.setTodos(args.todos)
    const count = (status: string): number => args.todos.filter((todo) => todo.status === status).length
    return Promise.resolve({
      ok: true,
      text: `${args.todos.length} items: ${count('completed')} completed, ${count('in_progress')} in progress, ${count('pending')} pending.`,
    })
  },
})
