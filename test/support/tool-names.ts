/** Names that prompts and people know; none may change unnoticed. */
export const BUILT_IN = [
  ...['shell', 'read_file', 'write_file', 'edit_file', 'grep', 'glob', 'web_search', 'web_fetch', 'git_diff'],
  ...['todo_write', 'load_skill', 'dispatch_agent'],
  ...['recall_memory', 'remember_fact', 'recall_fact', 'memory_replace', 'memory_append'],
  ...['spawn_team', 'team_broadcast', 'team_send', 'team_close'],
  ...['feishu_send_file', 'wecom_send_file', 'wecom_approval_list', 'wecom_approval_detail'],
  ...['screenshot', 'screenshot_window', 'mouse_click', 'mouse_scroll', 'mouse_drag', 'keyboard_type'],
  ...['keyboard_key', 'ax_script'],
  ...[
    'browser_navigate',
    'browser_snapshot',
    'browser_click',
    'browser_type',
    'browser_select',
    'browser_eval',
  ],
  ...['browser_screenshot', 'browser_tabs'],
  'video_gen',
] as const

/** The workstation tools by domain. */
export const WORKSTATION = {
  files: ['list_directory', 'read_file', 'write_file', 'file_info', 'find_files'],
  system: ['list_processes', 'process_info', 'system_status', 'disk_usage'],
  text: ['search_content', 'text_stats', 'diff_files', 'read_latest'],
  commands: ['run_command', 'start_command', 'command_status', 'stop_command'],
  environment: ['environment_static', 'environment_now'],
} as const

/** Workstation name → the built-in tool that stands for it in chat. */
export const TWINS: Readonly<Record<string, string>> = {
  read_file: 'read_file',
  write_file: 'write_file',
  find_files: 'glob',
  search_content: 'grep',
  run_command: 'shell',
}
