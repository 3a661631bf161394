export const gateway: Readonly<Record<string, string>> = {
  'live.phase.thinking': '正在思考…',
  'live.phase.writing': '正在回答…',
  'live.phase.working': '正在处理…',
  'live.phase.waiting': '等待审批',
  'live.phase.done': '已完成',
  'live.phase.failed': '未完成',
  'live.phase.stopped': '已停止',

  'gateway.welcome_group':
    '大家好，我是驿站。在群里 @我 说出要做的事就行，例如“列出工作目录里的文件，然后写一份 report.md 发给我”。要运行命令时，我会先发一张审批卡片，等有权限的人点了才执行。发送 /help 查看全部用法。',
  'gateway.welcome_direct': '你好，我是驿站。直接说要做的事就行；发送 /help 查看用法。',
  'gateway.stale': '这条消息是约 {hours} 小时前发的，现在才送到，我没有执行。如果还需要，请重新发一遍。',
  'gateway.may_not_talk': '你还没有使用我的权限。请把这个编号发给管理员，加到 access.talk 里：{user}',
  'gateway.empty': '我在。请把要做的事和 @我 写在同一条消息里；发送 /help 查看用法。',
  'gateway.file_failed': '文件“{name}”没有取到：{reason}',
  'gateway.context_failed': '引用或转发的内容没有取到。',

  'run.parked':
    '处理这条消息时服务连续三次异常退出，我不再重试了，其他消息不受影响。请换个说法，或请管理员查看日志。',
  'run.fault': '服务内部出错，这次没有完成。请把编号 {id} 告诉管理员，日志里有详细原因。',
  'run.stuck':
    '已经 {seconds} 秒没有任何进展，我先停下了。可以再发一次；如果反复出现，请管理员检查模型服务。',
  'run.too_long': '这次已经运行超过 {minutes} 分钟，我先停下了。可以让我“继续”，或把任务拆小一些。',

  'command.help':
    '**可以直接说要做的事**，例如：\n- 列出工作目录里的文件，然后写一份 report.md 发给我\n- 运行 uname -a（会先请人审批）\n\n**命令**\n- `/new` 新会话：忘掉前面的对话，文件保留\n- `/stop` 停止正在做的事，撤回等待中的审批\n- `/status` 正在做什么、在等什么、上一次花了多少\n- `/model [名称]` 查看或切换模型\n- `/tools` 能用的工具\n- `/files` 工作目录里的文件\n- `/compact` 把前面的对话压缩成摘要\n- `/whoami` 我的编号和权限\n\n中文也可以：`/新会话` `/停止` `/状态` `/模型` `/工具` `/文件` `/压缩` `/我是谁`。\n\n审批也可以用文字：`允许 审批码` 或 `拒绝 审批码 原因`。',
  'command.unknown': '没有“/{word}”这个命令。发送 /help 查看全部命令。',
  'command.new': '好，从现在起是新会话。工作目录里的文件还在。',
  'command.new_stopped': '好，正在做的事已经停下，从现在起是新会话。工作目录里的文件还在。',
  'command.stop': '好，停下了。',
  'command.stop_waiting': '好，停下了；还没处理的 {count} 条消息也不再处理。',
  'command.stop_idle': '现在没有正在做的事。',
  'command.status_running': '正在处理，已用 {seconds} 秒',
  'command.status_suspended': '正在等待审批，已过 {seconds} 秒',
  'command.status_idle': '空闲',
  'command.status_model': '模型：{model}',
  'command.status_waiting': '还有 {count} 条消息在排队',
  'command.status_approval': '待审批：{code}（还剩约 {minutes} 分钟）',
  'command.status_last':
    '上一次：{outcome}，调用模型 {steps} 次，输入 {input}、输出 {output} 词元，费用 {cost}',
  'command.model_list': '可用的模型（发送 `/model 名称` 切换）：',
  'command.model_unknown': '没有叫“{name}”的模型。可用的有：',
  'command.model_set': '好，这个会话从下一次回答起使用 **{name}**。',
  'command.model_refused': '切换模型需要操作权限，请联系管理员。',
  'command.tools': '这个会话可以用 {count} 个工具：',
  'command.files': '工作目录里有 {count} 个文件，最近修改的 {shown} 个：',
  'command.files_none': '工作目录是空的。',
  'command.compact': '好，下一次回答前我会先把前面的对话压缩成摘要。',
  'command.whoami':
    '- 你的编号：`{user}`\n- 本会话：`{chat}`\n- 管理员：{admin}\n- 可以使用会修改内容的工具：{operate}',
  'command.yes': '是',
  'command.no': '否',
}
