export const engine: Readonly<Record<string, string>> = {
  'demo.disclosure':
    'Demo model: no language model is connected, answers follow fixed rules. Configure a real model to ask anything.',
  'demo.help':
    'Hello, I am the demo model. I know a few fixed phrases, but every step uses the real tools. Try:\n\n- list the files in the workspace, then write a report.md and send it to me\n- run uname -a (an approval card comes first)\n- grep station\n- read report.md\n- todo write the weekly report, book a room, send the minutes\n- remember: the owner of expenses is Zhang San; later ask "do you remember the owner of expenses?"\n- run in background sleep 5; echo done (it reports when it ends)\n- ask the team: what is in the workspace\n- open http://127.0.0.1:8080 click src/ and send a screenshot (turn browser on in the configuration first)\n- on the virtual desktop type hello (turn computer on first)\n- which expense approvals are pending this week? (WeCom)\n- call list_directory {"sort": "size"} (any tool can be called like this, /tools lists them)\n- every working day at nine send the usage report here (a card asks you to confirm; /schedule run ID sends it at once)',
  'demo.list_first': 'Sure. First I will look at what is in the workspace.',
  'demo.write_report': 'I have seen the files. Next I will write report.md.',
  'demo.send_report': 'It is written. Now I will send it to you.',
  'demo.report_done':
    'Done: {count} {count:file|files} seen, the summary is in {path} and was sent to this chat.',
  'demo.report_no_send':
    '{count} {count:file|files} seen, the summary is in {path}. This chat offers no tool that sends files, so it was not sent.',
  'demo.report_title': 'Workspace report',
  'demo.report_count': 'The workspace has {count} {count:file|files}.',
  'demo.report_types': 'By type',
  'demo.report_type_line': '- {type}: {count}',
  'demo.report_files': 'Files',
  'demo.report_empty': 'The workspace is empty.',
  'demo.report_no_type': 'no extension',
  'demo.report_more': '… {count} more {count:is|are} not listed',
  'demo.report_note': 'Written by the demo model by fixed rules, from the file list just read.',
  'demo.list_done': 'Files in the workspace:\n\n{result}',
  'demo.browse': 'Sure, opening {url} first.',
  'demo.browse_look': 'Looking at the page.',
  'demo.browse_click': 'Found “{what}”, clicking it.',
  'demo.browse_no_such': 'There is no “{what}” on the page. It shows:\n\n{result}',
  'demo.browse_done': 'The page now shows:\n\n{result}',
  'demo.browse_done_sent': 'The screenshot is in the chat. The page now shows:\n\n{result}',
  'demo.screenshot': 'Taking a screenshot and sending it.',
  'demo.desktop_open': 'Sure, opening an editor on the virtual desktop.',
  'demo.desktop_type': 'Typing.',
  'demo.desktop_read': 'Reading it back.',
  'demo.desktop_done':
    'Typed on the virtual desktop; read back:\n\n{result}\n\nThe screenshot is in the chat.',
  'demo.run': 'Sure, I am about to run this command.',
  'demo.run_done': 'Output of the command:\n\n{result}',
  'demo.no_output': '(no output)',
  'demo.exit': 'Exit code {code}, {seconds} s.',
  'demo.search': 'Sure, searching for "{what}".',
  'demo.search_done': 'Results for "{what}":\n\n{result}',
  'demo.read': 'Sure, reading {path}.',
  'demo.read_done': 'Content of {path}:\n\n{result}',
  'demo.send': 'Sure, sending you {path}.',
  'demo.send_done': '{path} was sent to this chat.',
  'demo.todo': 'Sure, adding it to the to-do list.',
  'demo.todo_done': 'The to-do list is updated: {count} {count:item|items}.',
  'demo.approvals': 'Sure, looking up the approvals.',
  'demo.approvals_first': 'Found some. Next I will open the first one ({number}).',
  'demo.approvals_none': 'No approvals were found for this period.\n\n{result}',
  'demo.approvals_done': 'Approvals found:\n\n{list}\n\nApproval {number}:\n\n{result}',
  'demo.failed':
    'This step did not succeed ({tool}): {why}\n\nWhat the tool told the model:\n\n{result}\n\nI stopped here and did nothing further.',
  'demo.failed.invalid_argument': 'an argument is wrong.',
  'demo.failed.not_found': 'what it looked for is not there.',
  'demo.failed.refused': 'it was not allowed.',
  'demo.failed.timeout': 'it did not finish in time.',
  'demo.failed.unavailable': 'it is not available right now.',
  'demo.failed.limit': 'it exceeded a limit.',
  'demo.failed.other': 'something went wrong.',
  'demo.no_tool': 'This chat does not offer the tool {tool}, so I cannot do this step.',
  'demo.off.browser':
    'The browser is off. Write `browser: { enabled: true, allow: ["127.0.0.1:8080"] }` into yizhan.yaml (allow names addresses of this machine or network that may be opened), restart and try again.',
  'demo.off.computer':
    'The virtual desktop is off. Write `computer: { enabled: true }` into yizhan.yaml, restart and try again.',
  'engine.stopped': 'Stopped as requested. What is already done stays; tell me when to continue.',
  'engine.limit_steps':
    'This task has used up its {steps} steps, so I am stopping here. Reply "continue" to go on, or split the task.',
  'engine.limit_tokens':
    'This task has used up its {tokens} tokens, so I am stopping here. Reply "continue" to go on, or split the task.',
  'engine.limit_chat_day':
    'This chat has used up its {tokens} tokens for today, so I am stopping here. Reply "continue" after midnight to go on. If it is urgent, ask an administrator to raise limits.tokensPerChatDay.',
  'engine.limit_day':
    'The whole service has used up its {tokens} tokens for today, so I am stopping here. Reply "continue" after midnight to go on. If it is urgent, ask an administrator to raise limits.tokensPerDay.',
  'engine.limit_time':
    'This task has reached its time limit of {minutes} minutes, so I am stopping here. Reply "continue" to go on, or split the task.',
  'engine.limit_loop':
    'The model kept repeating the same call ({tool}) without making progress, so I stopped. Please rephrase the task or add what is missing.',
  'engine.limit_invalid':
    'The model gave 3 invalid replies in a row (empty, or wrong tool calls), so I am stopping here. Please try again; if it keeps happening, ask an administrator for another model.',
  'engine.outcome_unknown':
    '"{title}" was interrupted by a restart: it may or may not have run. It is not repeated automatically; please check the result.',
  'engine.retry_limited': 'The model service is limiting requests; trying again in {seconds} s…',
  'engine.retry_unavailable': 'The model service cannot be reached; trying again in {seconds} s…',
  'engine.answer_broken': 'The answer broke off half-way; generating it again…',
  'engine.answer_cut': '(The answer reached its length limit. Reply "continue" for the rest.)',
  'engine.refused': 'The model refused to answer this. Please rephrase it.',
  'engine.compacting': 'The conversation is long; summarising its earlier part…',
  'engine.compaction_failed':
    'The earlier part could not be summarised; only the recent messages and key records are kept.',
  'error.model.overflow':
    'The conversation is longer than the model can read, even after summarising it. Send /new to start a new one, or put long content into a file.',
  'error.model.rate_limited':
    'The model service is limiting requests, and several attempts failed. Try again in a few minutes; if it happens often, ask an administrator to raise the quota.',
  'error.model.no_balance':
    'The account with the model provider has no balance or quota left. Ask an administrator to top it up (configuration: models.profiles.{profile}).',
  'error.model.unavailable':
    'The model service cannot be reached, and several attempts failed. Try again later; if it persists, ask an administrator to check the network and baseUrl of models.profiles.{profile}.',
  'error.model.auth':
    'The model service refused the key. Ask an administrator to check apiKey and baseUrl of models.profiles.{profile}.',
  'error.model.bad_request':
    'The model service did not accept the request: {detail}. Ask an administrator to check model and extra of models.profiles.{profile}.',
  'error.model.interrupted':
    'The model’s answer broke off several times, so this was not finished. Please try again.',
  'error.model.silent':
    'The model service sent nothing for more than {seconds} seconds, so this was not finished. Please try again later.',
  'error.model.sdk_missing':
    "The model's library is not installed. Ask an administrator to run npm ci in the project folder and restart the service.",
  'engine.reasoning': 'Thinking…',
  'engine.preparing_call': 'Preparing the next step…',
}
