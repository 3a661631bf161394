export const workstation: Readonly<Record<string, string>> = {
  'tools.list_directory.title': '列出目录：{path}',
  'tools.file_info.title': '查看文件信息：{path}',
  'tools.list_processes.title': '列出进程：{name}',
  'tools.process_info.title': '查看进程：{pid}',
  'tools.system_status.title': '查看系统状态',
  'tools.disk_usage.title': '查看磁盘占用：{path}',
  'tools.text_stats.title': '统计文本：{path}',
  'tools.diff_files.title': '比较文件：{before} → {after}',
  'tools.read_latest.title': '读取最新的文件：{pattern}',
  'tools.start_command.title': '在后台运行命令：{command}',
  'tools.command_status.title': '查看后台命令：{id}',
  'tools.stop_command.title': '停止后台命令：{id}',
  'tools.environment_static.title': '查看环境（固定信息）',
  'tools.environment_now.title': '查看环境（当前状态）',

  'tool.list_directory': '列出目录内容',
  'tool.file_info': '查看单个文件的信息',
  'tool.find_files': '按名称找文件',
  'tool.list_processes': '列出本机进程',
  'tool.process_info': '查看单个进程',
  'tool.system_status': '查看处理器、内存和磁盘',
  'tool.disk_usage': '查看工作目录的磁盘占用',
  'tool.search_content': '按内容搜索',
  'tool.text_stats': '统计行数、字数和字符数',
  'tool.diff_files': '比较两个文件',
  'tool.read_latest': '找到最新的文件并读取',
  'tool.run_command': '运行命令（需要审批）',
  'tool.start_command': '在后台运行命令（需要审批）',
  'tool.command_status': '查看后台命令的进展',
  'tool.stop_command': '停止后台命令',
  'tool.environment_static': '查看系统、可用命令等固定信息',
  'tool.environment_now': '查看时间、环境变量等当前状态',

  'jobs.ended':
    '（这是系统通知，不是任何人的发言。）后台命令 {id} 已经结束：{state}。命令：{command}。请用 command_status 查看它的输出，并向大家简短说明结果；除此之外不要做别的事。',

  'demo.background': '好，我放到后台运行。',
  'demo.background_started': '已经在后台运行（{id}），结束后我会在这里告诉大家。',
  'demo.background_ended': '后台命令 {id} 结束了：\n\n{result}',

  'command.stats_scope_all': '全部会话',
  'command.stats_scope_chat': '本会话',
  'command.stats_none': '服务启动以来，{scope}还没有调用过工具。',
  'command.stats':
    '**工具调用统计**（{scope}，服务启动以来）\n\n共 {count} 次，失败 {failures} 次，拒绝 {denied} 次，耗时中位数 {p50}，95 分位 {p95}',
  'command.stats_tools': '按工具',
  'command.stats_chats': '按会话',
  'command.stats_people': '按人',
  'command.stats_line': '- {name}：{count} 次，失败 {failures} 次，中位数 {p50}，95 分位 {p95}',
  'command.stats_more': '另有 {count} 项没有列出。',

  'alert.tool_failures':
    '⚠ 工具 {tool} 最近 {recent} 次调用失败了 {failures} 次，此前的失败率是 {before}%。最近一次的原因：{reason}。详情见服务日志。',
  'alert.tool_slow':
    '⚠ 工具 {tool} 最近 {recent} 次调用的耗时中位数是 {now}，此前是 {before}。详情见服务日志。',
}
