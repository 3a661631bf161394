import type { Command } from './command.ts'

export const help: Command = async ({ text }) => ({ markdown: text('command.help') })
