export const engine: Readonly<Record<string, string>> = {
  'demo.disclosure': '演示模型：没有接入大模型，按固定规则回答。配置真实模型后即可自由提问。',
  'demo.help':
    '你好，我是演示模型，只认得几句固定的话，但每一步用的都是真实工具。可以这样试：\n\n- 列出工作目录里的文件，然后写一份 report.md 发给我\n- 运行 uname -a（会先弹出审批卡片）\n- 搜索 驿站\n- 读 report.md\n- 待办 写周报、订会议室、发纪要\n- 记住：报销负责人是张三；之后问“还记得报销负责人吗”\n- 在后台运行 sleep 5; echo 好了（结束后会来报告）\n- 小组讨论：工作目录里有什么\n- 打开 http://127.0.0.1:8080 点击 src/ 截图发给我（先在配置里打开 browser）\n- 在虚拟桌面输入 你好（先在配置里打开 computer）\n- 本周有哪些待审批的报销？（企业微信）\n- 调用 list_directory {"sort": "size"}（任何工具都可以这样直接调用，/工具 列出全部）\n- 每个工作日早上九点把使用情况报表发到本群（先出确认卡片；之后可用 /计划 run 编号 立即发送）',
  'demo.list_first': '好，先看看工作目录里有什么。',
  'demo.write_report': '文件看过了，接着写 report.md。',
  'demo.send_report': '写好了，现在发给你。',
  'demo.report_done': '已经做完：共看到 {count} 个文件，摘要写进了 {path}，并已发到这个会话。',
  'demo.report_no_send':
    '共看到 {count} 个文件，摘要写进了 {path}。这个会话没有发送文件的工具，所以没有发出去。',
  'demo.report_title': '工作目录报告',
  'demo.report_count': '工作目录里共有 {count} 个文件。',
  'demo.report_types': '按类型',
  'demo.report_type_line': '- {type}：{count} 个',
  'demo.report_files': '文件清单',
  'demo.report_empty': '工作目录是空的。',
  'demo.report_no_type': '无扩展名',
  'demo.report_more': '……其余 {count} 个没有列出',
  'demo.report_note': '本报告由演示模型按固定规则写成，内容来自刚才的文件列表。',
  'demo.list_done': '工作目录里的文件：\n\n{result}',
  'demo.browse': '好，先打开 {url}。',
  'demo.browse_look': '看看页面上有什么。',
  'demo.browse_click': '找到“{what}”，点一下。',
  'demo.browse_no_such': '页面上没有找到“{what}”，页面内容是：\n\n{result}',
  'demo.browse_done': '页面现在是这样：\n\n{result}',
  'demo.browse_done_sent': '截图已经发到群里。页面现在是这样：\n\n{result}',
  'demo.screenshot': '截一张图发出来。',
  'demo.desktop_open': '好，在虚拟桌面上打开编辑器。',
  'demo.desktop_type': '输入文字。',
  'demo.desktop_read': '读回来核对。',
  'demo.desktop_done': '已在虚拟桌面输入，读回来的内容是：\n\n{result}\n\n截图已经发到群里。',
  'demo.run': '好，准备运行这条命令。',
  'demo.run_done': '命令的输出：\n\n{result}',
  'demo.no_output': '（没有输出）',
  'demo.exit': '退出码 {code}，用时 {seconds} 秒。',
  'demo.search': '好，我来搜索“{what}”。',
  'demo.search_done': '“{what}”的搜索结果：\n\n{result}',
  'demo.read': '好，我来读 {path}。',
  'demo.read_done': '{path} 的内容：\n\n{result}',
  'demo.send': '好，把 {path} 发给你。',
  'demo.send_done': '{path} 已发到这个会话。',
  'demo.todo': '好，记到待办清单里。',
  'demo.todo_done': '待办清单已更新，共 {count} 项。',
  'demo.approvals': '好，先查一下审批单。',
  'demo.approvals_first': '查到了，再看第一张单子（{number}）的详情。',
  'demo.approvals_none': '这段时间没有查到审批单。\n\n{result}',
  'demo.approvals_done': '查到的审批单：\n\n{list}\n\n其中 {number} 的详情：\n\n{result}',
  'demo.failed':
    '这一步没有成功（{tool}）：{why}\n\n工具写给模型的原文：\n\n{result}\n\n我停在这里，没有继续往下做。',
  'demo.failed.invalid_argument': '参数不对。',
  'demo.failed.not_found': '要找的东西不存在。',
  'demo.failed.refused': '没有得到允许。',
  'demo.failed.timeout': '没有在时限内完成。',
  'demo.failed.unavailable': '现在用不了。',
  'demo.failed.limit': '超出了限制。',
  'demo.failed.other': '执行时出了错。',
  'demo.no_tool': '这个会话没有提供 {tool} 工具，所以这一步做不了。',
  'demo.off.browser':
    '浏览器默认关闭。请在 yizhan.yaml 里写上 `browser: { enabled: true, allow: ["127.0.0.1:8080"] }`（allow 是允许打开的内网或本机地址），重启后再试。',
  'demo.off.computer':
    '虚拟桌面默认关闭。请在 yizhan.yaml 里写上 `computer: { enabled: true }`，重启后再试。',
  'engine.stopped': '已按要求停止。已经做完的部分仍然有效，需要继续时直接告诉我。',
  'engine.limit_steps':
    '这次任务已经用满 {steps} 步的上限，先停在这里。可以回复“继续”接着做，或把任务拆小一些。',
  'engine.limit_tokens':
    '这次任务已经用满 {tokens} 个 token 的上限，先停在这里。可以回复“继续”接着做，或把任务拆小一些。',
  'engine.limit_chat_day':
    '这个会话今天已经用满 {tokens} 个 token 的上限，先停在这里，明天零点后可以回复“继续”接着做。着急的话，请管理员调高 limits.tokensPerChatDay。',
  'engine.limit_day':
    '整个服务今天已经用满 {tokens} 个 token 的上限，先停在这里，明天零点后可以回复“继续”接着做。着急的话，请管理员调高 limits.tokensPerDay。',
  'engine.limit_time':
    '这次任务已经运行满 {minutes} 分钟的上限，先停在这里。可以回复“继续”接着做，或把任务拆小一些。',
  'engine.limit_loop':
    '模型在重复同样的调用（{tool}）而没有进展，触发了防循环限制，先停在这里。请换个说法或补充信息后再试。',
  'engine.limit_invalid':
    '模型连续 3 次给出无效的回复（空回复或错误的工具调用），先停在这里。请再试一次；如果总是这样，请管理员换一个模型。',
  'engine.outcome_unknown':
    '“{title}”执行到一半时服务中断了，可能已经执行过，也可能没有。不会自动重做，请先核对结果。',
  'engine.retry_limited': '模型服务正在限流，{seconds} 秒后重试…',
  'engine.retry_unavailable': '暂时连不上模型服务，{seconds} 秒后重试…',
  'engine.answer_broken': '回答传到一半断开了，正在重新生成…',
  'engine.answer_cut': '（回答达到长度上限，到此为止。回复“继续”可以接着写。）',
  'engine.refused': '模型拒绝回答这个问题，请换个说法再试。',
  'engine.compacting': '对话太长，正在整理前面的内容…',
  'engine.compaction_failed': '前面的内容没能整理成摘要，只保留了最近的对话和关键记录。',
  'error.model.overflow':
    '对话太长，超出了模型能读的长度，整理之后仍然放不下。请发 /new 开始新对话，或把大段内容改成文件。',
  'error.model.rate_limited':
    '模型服务限流了，重试几次仍未成功。请过几分钟再试；经常出现的话，请管理员提高服务商的额度。',
  'error.model.no_balance':
    '模型服务的账户余额或额度不足。请管理员到服务商处充值（配置：models.profiles.{profile}）。',
  'error.model.unavailable':
    '暂时连不上模型服务，重试几次仍未成功。请稍后再试；持续出现的话，请管理员检查网络和 models.profiles.{profile} 的 baseUrl。',
  'error.model.auth': '模型服务拒绝了密钥。请管理员检查 models.profiles.{profile} 的 apiKey 和 baseUrl。',
  'error.model.bad_request':
    '模型服务不接受这次请求：{detail}。请管理员检查 models.profiles.{profile} 的 model 和 extra。',
  'error.model.interrupted': '模型的回答多次中途断开，这次没有完成。请再试一次。',
  'error.model.silent': '模型服务超过 {seconds} 秒没有任何回应，这次没有完成。请稍后再试。',
  'error.model.sdk_missing': '模型的程序库没有装好，请管理员在项目目录运行 npm ci 后重启服务。',
  'engine.reasoning': '正在思考…',
  'engine.preparing_call': '正在准备下一步操作…',
}
