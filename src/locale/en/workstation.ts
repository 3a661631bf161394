export const workstation: Readonly<Record<string, string>> = {
  'tools.list_directory.title': 'List folder: {path}',
  'tools.file_info.title': 'File information: {path}',
  'tools.list_processes.title': 'List processes: {name}',
  'tools.process_info.title': 'Process: {pid}',
  'tools.system_status.title': 'System status',
  'tools.disk_usage.title': 'Disk usage: {path}',
  'tools.text_stats.title': 'Count text: {path}',
  'tools.diff_files.title': 'Compare files: {before} → {after}',
  'tools.read_latest.title': 'Read the newest file: {pattern}',
  'tools.start_command.title': 'Run in the background: {command}',
  'tools.command_status.title': 'Background command: {id}',
  'tools.stop_command.title': 'Stop background command: {id}',
  'tools.environment_static.title': 'Environment (what never changes)',
  'tools.environment_now.title': 'Environment (now)',

  'tool.list_directory': 'list a folder',
  'tool.file_info': 'information about one file',
  'tool.find_files': 'find files by name',
  'tool.list_processes': 'list processes of the machine',
  'tool.process_info': 'information about one process',
  'tool.system_status': 'processor, memory and disk now',
  'tool.disk_usage': 'what takes up space in the workspace',
  'tool.search_content': 'search inside files',
  'tool.text_stats': 'count lines, words and characters',
  'tool.diff_files': 'compare two files',
  'tool.read_latest': 'find the newest file and read it',
  'tool.run_command': 'run a command (needs approval)',
  'tool.start_command': 'run a command in the background (needs approval)',
  'tool.command_status': 'how a background command is doing',
  'tool.stop_command': 'stop a background command',
  'tool.environment_static': 'system, installed commands and other constants',
  'tool.environment_now': 'time, environment variables and other live facts',

  'jobs.ended':
    '(This is a system notice, nobody said it.) Background command {id} has ended: {state}. Command: {command}. Look at its output with command_status and briefly tell the chat the result; do nothing else.',

  'demo.background': 'All right, running it in the background.',
  'demo.background_started': 'It runs in the background ({id}); I will tell you here when it ends.',
  'demo.background_ended': 'Background command {id} has ended:\n\n{result}',

  'command.stats_scope_all': 'all chats',
  'command.stats_scope_chat': 'this chat',
  'command.stats_none': 'No tool has been called in {scope} since the service started.',
  'command.stats':
    '**Tool calls** ({scope}, since the service started)\n\n{count} {count:call|calls}, {failures} failed, {denied} refused, median {p50}, 95th percentile {p95}',
  'command.stats_tools': 'By tool',
  'command.stats_chats': 'By chat',
  'command.stats_people': 'By person',
  'command.stats_line':
    '- {name}: {count} {count:call|calls}, {failures} failed, median {p50}, 95th percentile {p95}',
  'command.stats_more': '{count} more are not listed.',

  'alert.tool_failures':
    '⚠ Tool {tool}: {failures} of the last {recent} calls failed; before that it was {before}%. Latest reason: {reason}. The service log has the details.',
  'alert.tool_slow':
    '⚠ Tool {tool}: the last {recent} calls took {now} (median); before that {before}. The service log has the details.',
}
