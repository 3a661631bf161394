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
    'Hello, I am Yizhan. Mention me and say what you need, for example “list the files in the workspace, then write report.md and send it to me”. Before I run a command I send an approval card and wait until an approver allows it. Send /help to see everything I can do.',
  'gateway.welcome_direct':
    'Hello, I am Yizhan. Just tell me what you need; send /help to see what I can do.',
  'gateway.bot_chain':
    'I am not answering other bots here any more (at most {most} messages in a row). Someone can mention me to continue.',
  'gateway.stale':
    'This message was sent about {hours} hours ago and only reached me now, so I did not act on it. Please send it again if you still need it.',
  'gateway.may_not_talk':
    'You do not have permission to use me yet. Please ask an administrator to add this id to access.talk: {user}',
  'gateway.empty':
    'I am here. Please write what you need in the same message as the mention; send /help to see what I can do.',
  'gateway.file_failed': 'The file “{name}” could not be fetched: {reason}',
  'gateway.key_masked':
    'Your message contains what looks like a key. I masked it: it was neither stored nor passed to the model. A key posted in a chat is no longer a secret, so please replace it. If I need to use one, ask an administrator to put it into the service’s environment or a secret file.',
  'gateway.context_failed': 'The quoted or forwarded content could not be fetched.',

  'run.parked':
    'The service crashed three times in a row on this message, so I stopped trying; other messages are not affected. Please rephrase it or ask an administrator to check the log.',
  'run.fault':
    'An internal error occurred and this was not finished. Please give the number {id} to an administrator; the log has the details.',
  'run.stuck':
    'Nothing happened for {seconds} seconds, so I stopped. Please try again; if it keeps happening, ask an administrator to check the model service.',
  'run.too_long':
    'This took more than {minutes} minutes, so I stopped. Tell me to “continue”, or split the task.',

  'command.help':
    '**Just tell me what you need**, for example:\n- List the files in the workspace, then write report.md and send it to me\n- Run uname -a (an approver has to allow it first)\n\n**Commands**\n- `/new` new conversation: forget what was said, keep the files\n- `/stop` stop what I am doing and withdraw pending approvals\n- `/mute [minutes]` for approvers: no approval requests in this chat for a while\n- `/status` what I am doing, what I am waiting for, what the last run cost\n- `/stats` tool calls: how many, how long, how many failed\n- `/model [name]` show or change the model\n- `/tools` the tools I can use\n- `/tasks` the task board: follow, stop, resume and verify background tasks\n- `/files` the files in the workspace\n- `/compact` summarise the conversation\n- `/memory` what is remembered, `/memory forget ID` to erase\n- `/mcp` MCP servers and their tools\n- `/whoami` your id and rights\n- `/schedule` scheduled tasks: list, pause, run, preview, edit, delete (`/schedule help`)\n\nApprovals also work by text: `approve CODE` or `deny CODE reason`.',
  'command.unknown': 'There is no command “/{word}”. Send /help to see all commands.',
  'command.new': 'All right, this is a new conversation. The files in the workspace are still there.',
  'command.new_stopped':
    'All right, I stopped what I was doing; this is a new conversation. The files in the workspace are still there.',
  'command.new_waiting':
    'Messages still waiting from before: {count}. They are answered in the new conversation; send /stop if you do not need that.',
  'command.stop': 'All right, stopped.',
  'command.stop_waiting': 'All right, stopped; {count} waiting messages will not be handled either.',
  'command.stop_idle': 'I am not doing anything right now.',
  'command.status_running': 'Working, {seconds} s so far',
  'command.status_suspended': 'Waiting for approval, {seconds} s so far',
  'command.status_idle': 'Idle',
  'command.status_model': 'Model: {model}',
  'command.status_waiting': '{count} {count:message is|messages are} waiting',
  'command.status_approval': 'Pending approval: {code} (about {minutes} min left)',
  'command.mute':
    'All right, I will not ask for approvals in this chat for {minutes} min; anything that needs one is refused right away. Send `/mute off` to end this. Requests that are already waiting can still be decided.',
  'command.mute_overtaken':
    'This was handled too late: the mute has been changed since, and the newer setting stays.',
  'command.mute_off': 'All right, I will ask for approvals in this chat again.',
  'command.mute_usage': 'How long? `/mute 30` (minutes), `/mute 2h`, at most {most} h; `/mute off` ends it.',
  'command.mute_refused': 'Only approvers of this chat can mute its requests.',
  'command.status_muted': 'Approval requests are muted (about {minutes} min left)',
  'command.status_last':
    'Last run: {outcome}, {steps} model {steps:call|calls}, {input} tokens in, {output} out, cost {cost}',
  'command.model_list': 'Available models (send `/model name` to switch):',
  'command.model_unknown': 'There is no model “{name}”. Available:',
  'command.model_set': 'All right, this conversation will use **{name}** from the next answer on.',
  'command.model_refused': 'You do not have permission to change the model; please ask an administrator.',
  'command.tools': '{count} {count:tool is|tools are} available here:',
  'command.files': 'The workspace has {count} {count:file|files}; the {shown} most recently changed:',
  'command.files_none': 'The workspace is empty.',
  'command.compact': 'All right, I will summarise the conversation before the next answer.',
  'command.whoami':
    '- Your id: `{user}`\n- This chat: `{chat}`\n- Administrator: {admin}\n- May use tools that change things: {operate}',
  'command.yes': 'yes',
  'command.no': 'no',

  'bot.name': 'Yizhan',
  'bot.platform.feishu': 'Feishu',
  'bot.platform.wecom': 'WeCom',
  'bot.workspace_note': 'Files that people sent are in inbox/.',
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
    'An answer could not be delivered here ({code}). Please send your message again; if it fails again, an administrator can find it in the log as {id}.',
  'outbox.undelivered.unknown':
    'An answer may not have arrived ({code}). If you do not see it above, please send your message again.',
  'outbox.undelivered.card':
    'The approval card could not be sent ({why}). Approvers can mention me and write: approve {code}, or deny {code} with a reason.',
}
