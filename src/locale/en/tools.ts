export const tools: Readonly<Record<string, string>> = {
  'tools.shell.title': 'Run: {command}',
  'tools.read_file.title': 'Read {path}',
  'tools.write_file.title': 'Write {path}',
  'tools.edit_file.title': 'Edit {path}',
  'tools.grep.title': 'Search for {pattern}',
  'tools.glob.title': 'Find files {pattern}',
  'tools.git_diff.title': 'Show changes: {what}',
  'tools.todo_write.title': 'Update to-do list: {done} of {total} done',
  'tools.load_tools.title': 'Load more tools: {kinds}',
  'tools.send_file.title': 'Send file to this chat: {name}',
  'error.sandbox.unavailable': 'The sandbox of this machine is not available; nothing was run. {reason}',
  'error.sandbox.interrupted':
    'The process that runs commands ended, and the command with it. See what it changed before trying again.',
}
