export const mcp: Readonly<Record<string, string>> = {
  'mcp.call.title': 'Call {tool} of the MCP server "{server}"',
  'mcp.state.connecting': 'connecting',
  'mcp.state.ready': 'connected',
  'mcp.state.waiting': 'not connected, will try again',
  'mcp.state.login': 'needs a login',
  'mcp.state.broken': 'switched off: it keeps failing',
  'mcp.state.stopped': 'stopped',
  'mcp.state.disabled': 'switched off in its configuration',
  'mcp.state.invalid': 'misconfigured',
  'mcp.command.list': '{count} MCP servers:',
  'mcp.command.none':
    'No MCP server is configured. Put one into mcp.servers of yizhan.yaml or into the project’s .mcp.json; no restart is needed for the latter.',
  'mcp.command.tools': '{count} {count:tool|tools}',
  'mcp.command.usage':
    'Usage: `/mcp` lists servers; `/mcp show NAME` shows the tools’ descriptions; `/mcp approve NAME CODE` accepts the changes that were shown; `/mcp restart NAME` reconnects.',
  'mcp.command.refused': 'Only an administrator can do that.',
  'mcp.command.unknown': 'No MCP server "{name}" is in use. There are: {known}',
  'mcp.command.restarted': 'Reconnecting to {name}. Send /mcp in a moment to see the result.',
  'mcp.command.nothing': '{name} has no change waiting to be accepted.',
  'mcp.command.approved': 'Changes to {name} accepted: {tools}. Calls still follow the approval rules.',
  'mcp.command.broken': 'Look at the reason first, then send `/mcp restart {name}`.',
  'mcp.command.waiting':
    'The descriptions or parameters of these tools have changed, so they are off: {tools}. An administrator can read them with `/mcp show {name}` and then decide.',
  'mcp.command.login': 'Open this address to log in: {url}',
  'mcp.command.login_elsewhere':
    'An administrator can get the login address by sending /mcp in a direct chat with me.',
  'mcp.command.login_late': 'The login address has expired; send `/mcp restart {name}` for a new one.',
  'mcp.command.offered': '(waiting to be accepted)',
  'mcp.command.cut': '({left} more characters are not shown; be careful with descriptions this long)',
  'mcp.command.outdated':
    '{name} has changed again since you read it; nothing was accepted. This is what it says now:',
  'mcp.command.agree': 'To accept exactly these changes, send `/mcp approve {name} {code}`',
  'mcp.command.before': '(accepted before)',
  'mcp.why': '{reason} ({why})',
  'mcp.why.connect': 'it cannot be reached',
  'mcp.why.ended': 'the connection was lost',
  'mcp.why.timeout': 'it did not answer in time',
  'mcp.why.program': 'its program was not found',
  'mcp.why.path': 'its entry names files of the service, which it may not have',
  'mcp.why.list': 'its list of tools is too long to read',
  'mcp.why.sandbox': 'there is no sandbox to start it in',
  'mcp.why.login': 'it needs a login',
  'mcp.why.entry': 'its entry cannot be used',
  'mcp.news.broken':
    'The MCP server "{name}" keeps failing and was switched off: {why}\nOnce it is fixed, an administrator can send `/mcp restart {name}`.',
  'mcp.news.unreachable':
    'The MCP server "{name}" cannot be reached; I keep trying: {why}\nCheck its command or address; `/mcp` shows more.',
  'mcp.news.login':
    'The MCP server "{name}" needs a login. An administrator can get the address by sending `/mcp` in a direct chat with me.',
  'mcp.news.changed':
    'The MCP server "{name}" has changed its tools; these are off: {tools}.\nAn administrator can read them with `/mcp show {name}` and then decide.',
  'mcp.news.recovered': 'The MCP server "{name}" works again; {count} {count:tool is|tools are} available.',
  'mcp.news.more': '{count} more; `/mcp` shows all servers.',
  'mcp.login.done': 'Logged in. You can close this page.',
  'mcp.login.refused':
    'Not logged in: the other page refused, or somebody cancelled. Send /mcp again when you want to.',
  'mcp.login.unknown': 'This login was already used or has expired. Send /mcp again for a new address.',
  'mcp.login.failed':
    'The login could not be finished; the log says why. Send /mcp restart with the name of the server and try again.',
  'mcp.remote.run_agent': 'Run the agent',
  'mcp.remote.agent_result': 'Look at a run of the agent',
  'mcp.remote.stop_agent': 'Stop a run of the agent',
  'mcp.remote.waiting': '{id}: waiting for someone in the chat to allow it',
  'mcp.remote.queued': '{id}: queued',
  'mcp.remote.running': '{id}: running, {steps} model calls so far',
  'mcp.remote.person': '{id}: waiting for approval: {what}',
  'mcp.remote.no_chat':
    'This call needs approval, but the caller is not bound to a chat, so there is nobody to ask.',
  'mcp.remote.no_chat.hint':
    'The operator sets chat for {name} in mcp.serve.callers of yizhan.yaml, or lets the call through by approval.rules.',
  'mcp.prompt.look_around': 'Look around on this machine',
  'mcp.prompt.look_around.about':
    'Lists the workspace, the state of the system and its commands, then sums up',
  'mcp.prompt.look_around.words':
    'Look at the workspace with list_directory, at processor, memory and disk with system_status, at the system and its installed commands with environment_static. Change nothing. Then sum up in a few sentences: what is here, whether it is well, what deserves attention.',
  'mcp.prompt.run_and_explain': 'Run a command and explain it',
  'mcp.prompt.run_and_explain.about':
    'Runs the command, waits for a person where one is needed, explains the output',
  'mcp.prompt.run_and_explain.words':
    'Run the following command with run_command, exactly as it is written. It may wait for a person in the chat; if an id comes back, read the resource yizhan://calls/ID later and do not call again. Then explain the output; if it failed, say why and what to do next.\n\n{command}',
  'mcp.prompt.ask_the_agent': 'Let the agent of Yizhan do it',
  'mcp.prompt.ask_the_agent.about':
    'Hands the task over with run_agent and waits for the result, or asks for it by id',
  'mcp.prompt.ask_the_agent.words':
    'Hand the following task to Yizhan with run_agent, with an id of your own, so that the same id finds the result after a cut. If only an id comes back, look later with agent_result. While it waits for a person, tell me what it waits for.\n\n{task}',
  'mcp.prompt.delegate_task': 'Put a task on the board and run it',
  'mcp.prompt.delegate_task.about': 'Creates the task, starts it, follows it, and asks a person to verify it',
  'mcp.prompt.delegate_task.words':
    'Look at the workspaces and tasks with workspace_list and task_list, create the task with task_create, start it with task_execute and follow it with task_list. When it is completed do not verify it yourself: ask me to do so on its card in the chat.\n\nTask: {task}',
  'mcp.prompt.argument.command': 'The command, run exactly as written',
  'mcp.prompt.argument.task': 'What is to be done, in a paragraph',
  'tool.run_agent': 'Run the agent',
  'tool.agent_result': 'Look at a run of the agent',
  'tool.stop_agent': 'Stop a run of the agent',
  'demo.mcp': 'Calling {tool}.',
  'demo.mcp_done': '{tool} answered:\n\n{result}',
  'mcp.command.agreed': '(in use)',
}
