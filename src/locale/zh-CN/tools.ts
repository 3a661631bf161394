export const tools: Readonly<Record<string, string>> = {
  'tools.shell.title': '运行命令：{command}',
  'tools.read_file.title': '读取文件：{path}',
  'tools.write_file.title': '写入文件：{path}',
  'tools.edit_file.title': '修改文件：{path}',
  'tools.grep.title': '搜索内容：{pattern}',
  'tools.glob.title': '查找文件：{pattern}',
  'tools.git_diff.title': '查看改动：{what}',
  'tools.todo_write.title': '更新待办：共 {total} 项，已完成 {done} 项',
  'tools.load_tools.title': '取用更多工具：{kinds}',
  'tools.send_file.title': '发送文件到本群：{name}',
  'error.sandbox.unavailable': '这台机器上的沙箱不可用，命令没有执行。{reason}',
  'error.sandbox.interrupted':
    '执行命令的进程意外退出，命令已随之终止。请先确认它改动了什么，再决定是否重试。',
}
