export const gateway: Readonly<Record<string, string>> = {
  'live.phase.thinking': 'Thinking…',
  'live.phase.writing': 'Answering…',
  'live.phase.working': 'Working…',
  'live.phase.waiting': 'Waiting for approval',
  'live.continued_below': 'Continued below',
  'live.phase.done': 'Done',
  'live.phase.failed': 'Not finished',
  'live.phase.stopped': 'Stopped',

  'gateway.welcome_group':
    'Hello, I am Yizhan. Mention me and say what should be done, for example “list the files in the workspace, then write report.md and send it to me”. Before I run a command I send an approval card and wait for someone who may decide. Send /help for everything I understand.',
  'gateway.welcome_direct': 'Hello, I am Yizhan. Just say what should be done; send /help to see how.',
  'gateway.bot_chain':
    'I stop answering other bots here (at most {most} in a row). A person may mention me to go on.',
  'gateway.stale':
    'This message was sent about {hours} hours ago and reached me only now, so I did not act on it. Please send it again if it is still needed.',
  'gateway.may_not_talk':
    'You are not allowed to use me yet. Give this id to an administrator for access.talk: {user}',
  'gateway.empty':
    'I am here. Please put what should be done into the same message as the mention; send /help to see how.',
  'gateway.file_failed': 'The file “{name}” could not be fetched: {reason}',
  'gateway.key_masked':
    'Your message holds what looks like a key. It was masked: I neither keep it nor hand it to the model. A key that was posted in a chat is no secret any more, so please replace it. What I shall use belongs into the service’s environment or a secret file; ask an administrator.',
  'gateway.context_failed': 'The quoted or forwarded content could not be fetched.',

  'run.parked':
    'The service crashed three times in a row on this message, so I stopped trying; other messages are not affected. Please put it differently or ask an administrator to look at the log.',
  'run.fault':
    'The service made a mistake and could not finish. Please give the number {id} to an administrator; the log has the reason.',
  'run.stuck':
    'Nothing happened for {seconds} seconds, so I stopped. You can send it again; if it keeps happening, ask an administrator to check the model service.',
  'run.too_long':
    'This took more than {minutes} minutes, so I stopped. Ask me to “go on”, or split the task.',

  'command.help':
    '**Just say what should be done**, for example:\n- List the files in the workspace, then write report.md and send it to me\n- Run uname -a (somebody approves it first)\n\n**Commands**\n- `/new` new conversation: forget what was said, keep the files\n- `/stop` stop what is going on and take back waiting approvals\n- `/mute [minutes]` for approvers: no requests for approval in this chat for a while\n- `/status` what I am doing, what I wait for, what the last run cost\n- `/stats` tool calls: how many, how long, how many failed\n- `/model [name]` show or change the model\n- `/tools` the tools I can use\n- `/tasks` the task board: follow, stop, resume and verify background tasks\n- `/files` the files in the workspace\n- `/compact` sum the conversation up\n- `/memory` what is remembered, `/memory forget ID` to erase\n- `/mcp` MCP servers and their tools\n- `/whoami` your id and rights\n- `/schedule` scheduled tasks: list, pause, run, preview, edit, delete (`/schedule help`)\n\nApprovals also work by text: `approve CODE` or `deny CODE reason`.',
  'command.unknown': 'There is no command “/{word}”. Send /help to see all commands.',
  'command.new': 'All right, this is a new conversation. The files in the workspace are still there.',
  'command.new_stopped':
    'All right, I stopped what was going on; this is a new conversation. The files in the workspace are still there.',
  'command.stop': 'All right, stopped.',
  'command.stop_waiting': 'All right, stopped; {count} waiting messages will not be handled either.',
  'command.stop_idle': 'Nothing is going on right now.',
  'command.status_running': 'Working, {seconds} s so far',
  'command.status_suspended': 'Waiting for approval, {seconds} s so far',
  'command.status_idle': 'Idle',
  'command.status_model': 'Model: {model}',
  'command.status_waiting': '{count} {count:message is|messages are} waiting',
  'command.status_approval': 'To be approved: {code} (about {minutes} min left)',
  'command.mute':
    'All right, for {minutes} min I ask for no approval in this chat; what would need one is refused at once. `/mute off` ends it. What waits already can still be decided.',
  'command.mute_overtaken': 'This word came too late: something newer was said about it, and that counts.',
  'command.mute_off': 'All right, I ask for approvals in this chat again.',
  'command.mute_usage': 'How long? `/mute 30` (minutes), `/mute 2h`, at most {most} h; `/mute off` ends it.',
  'command.mute_refused': 'Only those who decide on requests in this chat can mute them.',
  'command.status_muted': 'Requests for approval are muted (about {minutes} min left)',
  'command.status_last':
    'Last run: {outcome}, {steps} model {steps:call|calls}, {input} tokens in, {output} out, cost {cost}',
  'command.model_list': 'Models (send `/model name` to change):',
  'command.model_unknown': 'There is no model “{name}”. There are:',
  'command.model_set': 'All right, this conversation uses **{name}** from the next answer on.',
  'command.model_refused': 'Changing the model needs the right to operate; please ask an administrator.',
  'command.tools': '{count} {count:tool|tools} can be used here:',
  'command.files': 'The workspace holds {count} {count:file|files}; the {shown} changed last:',
  'command.files_none': 'The workspace is empty.',
  'command.compact': 'All right, I will sum the conversation up before the next answer.',
  'command.whoami':
    '- Your id: `{user}`\n- This chat: `{chat}`\n- Administrator: {admin}\n- May use tools that change things: {operate}',
  'command.yes': 'yes',
  'command.no': 'no',

  'bot.name': 'Yizhan',
  'bot.platform.feishu': 'Feishu',
  'bot.platform.wecom': 'WeCom',
  'bot.workspace_note': 'Files that people sent are under inbox/.',
  'tool.shell': 'run a command (asks for approval)',
  'tool.read_file': 'read a file',
  'tool.write_file': 'write a file',
  'tool.edit_file': 'change a file',
  'tool.grep': 'search by content',
  'tool.glob': 'find files by name',
  'tool.git_diff': 'show Git changes',
  'tool.todo_write': 'keep a to-do list',
  'tool.feishu_send_file': 'send a file to this chat',
  'tool.wecom_send_file': 'send a file to this chat',
  'tool.wecom_approval_list': 'list approval requests',
  'tool.wecom_approval_detail': 'show one approval request',
  'outbox.undelivered.failed':
    'An answer could not be delivered here ({code}). Please send your message again; if it fails again, the administrator finds it in the log as {id}.',
  'outbox.undelivered.unknown':
    'An answer may not have arrived ({code}). If you do not see it above, please send your message again.',
  'outbox.undelivered.card':
    'The approval card could not be sent ({why}). Approvers can mention me and write: approve {code}, or deny {code} with a reason.',
}
