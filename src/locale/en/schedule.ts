/** Schedules: cards, lists, notes under results, and what is told when something went wrong. */
export const schedule: Readonly<Record<string, string>> = {
  'schedule.prompt':
    '{prompt}\n\n(This is a scheduled task, due at {when}. Nobody is waiting to answer: ask nothing, finish the work; your last answer is posted to the chat as it is.)',

  'schedule.note.late': 'The service was down at {slot}; this run makes up for it.',
  'schedule.note.late_once':
    'The service was down for a while and missed more than one run; only the latest is made up for (due at {slot}).',
  'schedule.note.missed': 'The service was down at {slot}; skipped, as configured.',
  'schedule.note.overlap': 'The previous run had not finished; this one was skipped, as configured.',
  'schedule.note.overlap_queue':
    'The previous run had not finished and another was waiting; this one was skipped.',
  'schedule.note.replaced': 'The next run was due; this one was stopped, as configured.',
  'schedule.note.approval_skipped':
    'A step needed an approval and nobody was there to give it; it was skipped, as configured: `{what}`',

  'schedule.gate.skip': 'This is a scheduled task and nobody is there to approve; the step is skipped.',
  'schedule.gate.skip.hint':
    'Do not work around it with another command. Finish with what you have and say which step was left out.',

  'schedule.told.paused':
    'The schedule “{name}” (`{id}`) is paused and did not run: {why}\n\nOnce that is solved, send `/schedule resume {id}`.',
  'schedule.told.gone':
    'The schedule “{name}” (`{id}`) could not be delivered ({slot}) and is paused: {why}\n\nOnce that is solved, send `/schedule resume {id}`.',
  'schedule.told.failed':
    'The schedule “{name}” (`{id}`) did not succeed this time ({slot}): {why}\n\n`/schedule history {id}` shows what happened, `/schedule run {id}` runs it again now.',

  'schedule.state.active': 'active',
  'schedule.state.paused': 'paused',
  'schedule.state.done': 'over',
  'schedule.line.when': 'When: {when}',
  'schedule.line.to': 'To: {to}',
  'schedule.line.prompt': 'Does: {prompt}',
  'schedule.line.report': 'Report: {report}',
  'schedule.line.creator': 'Created by: {who}',
  'schedule.line.next': 'Next: {times}',
  'schedule.line.reason': 'Why: {why}',
  'schedule.cron': '`{cron}` ({zone})',
  'schedule.once': '{at} ({zone}), once',
  'schedule.workdays': '{when}, working days only',
  'schedule.workdays_unknown':
    '{when}, working days only (the holidays of {year} are not entered yet: only the fixed days of New Year, May and October will be left out; an administrator adds the rest to calendar.file)',
  'schedule.to.here': 'this chat',
  'schedule.to.chat': '{name} (`{bot}`)',
  'schedule.to.robot': 'group robot {name} (`{bot}`)',
  'schedule.configured': 'configuration file',
  'schedule.reason.person': 'somebody paused it',
  'schedule.reason.broken': 'it cannot be read; create it again',
  'schedule.reason.other': '{code}',

  'schedule.card.title.create': 'New schedule',
  'schedule.card.title.update': 'Change a schedule',
  'schedule.card.title.delete': 'Delete a schedule',
  'schedule.card.tag': 'needs confirmation',
  'schedule.card.tag.confirmed': 'confirmed',
  'schedule.card.tag.cancelled': 'cancelled',
  'schedule.card.tag.expired': 'expired',
  'schedule.card.when': 'When',
  'schedule.card.next': 'Next',
  'schedule.card.to': 'To',
  'schedule.card.creator': 'From',
  'schedule.card.policy': 'Rules',
  'schedule.card.decided': 'By',
  'schedule.card.decided_by': '{who} ({when})',
  'schedule.card.preapproved': 'Commands that will need no approval',
  'schedule.card.confirm': 'Confirm',
  'schedule.card.cancel': 'Cancel',
  'schedule.card.hint':
    'To be confirmed by the creator or an administrator before {until}. If the buttons do not work, mention me with: /schedule confirm, or /schedule cancel',
  'schedule.card.hint.buttonless':
    'To be confirmed by the creator or an administrator before {until}: mention me with /schedule confirm {id}, or /schedule cancel {id}',
  'schedule.card.summary': '{title}: {name}',
  'schedule.policy.missed.skip': 'missed runs are skipped',
  'schedule.policy.missed.once': 'one missed run is made up for',
  'schedule.policy.missed.all': 'up to three missed runs are made up for',
  'schedule.policy.overlap.forbid': 'skipped if the previous run is still going',
  'schedule.policy.overlap.queue': 'one waits if the previous run is still going',
  'schedule.policy.overlap.replace': 'stops the previous run',
  'schedule.policy.approvals.skip': 'steps that need approval are skipped',
  'schedule.policy.approvals.wait': 'steps that need approval wait for {hours}',
  'schedule.policy.jitter': 'spread over {seconds} s',

  'schedule.toast.confirmed': 'Confirmed; schedule {id} is saved.',
  'schedule.toast.deleted': 'Confirmed; schedule {id} is deleted.',
  'schedule.toast.cancelled': 'Cancelled; nothing was saved.',
  'schedule.toast.expired': 'This card has expired; nothing was saved. Please ask again.',
  'schedule.toast.already': '{who} has already decided: {status}.',
  'schedule.toast.not_found': 'This card belongs to no schedule any more; please create it again.',
  'schedule.nothing_pending':
    'No schedule is waiting for confirmation in this chat. One that was not confirmed within 24 hours has expired; please ask again.',
  'schedule.which_pending':
    '{count} changes are waiting in this chat; none was decided. Please add the id, as in /schedule confirm ID:\n{lines}',
  'schedule.toast.refused': 'Only the creator or an administrator can confirm.',

  'schedule.proposed':
    'Not saved yet. A card was sent to this chat; it takes effect when the creator or an administrator confirms.\nName: {name}\nWhen: {when}\nNext: {times}\nTo: {to}',
  'schedule.proposed_delete':
    'Not deleted yet. A card was sent to this chat; the creator or an administrator confirms: {name} ({id}).',
  'schedule.done.pause': 'Schedule `{id}` is paused. Send `/schedule resume {id}` to resume it.',
  'schedule.done.resume': 'Schedule `{id}` is active again. Next: {times}',
  'schedule.done.run': 'Running schedule `{id}` now; the result goes to: {to}',
  'schedule.done.delete': 'Schedule `{id}` is deleted; its history is kept.',
  'schedule.done.preview':
    'Making a preview of schedule `{id}`; the result goes to this chat only.\nNext: {times}',
  'schedule.done.edit': 'Schedule `{id}` is changed.\n{lines}',
  'schedule.times_none': 'none',

  'schedule.list': '{count} schedules:',
  'schedule.list_none':
    'There are no schedules yet. Just tell me, e.g. “every working day at nine, post yesterday’s sales here”.',
  'schedule.usage':
    'Usage:\n- `/schedule` lists\n- `/schedule pause ID`, `resume ID`, `delete ID`\n- `/schedule confirm ID`, `cancel ID` confirms or cancels a pending change (you can also click its card; leave the id out if there is only one)\n- `/schedule run ID` runs it once now\n- `/schedule preview ID` shows the result here only\n- `/schedule edit ID cron="0 9 * * 1-5" prompt="…"`\n- `/schedule history ID` shows past runs',
  'schedule.history': 'Schedule “{name}” (`{id}`), the last {count} runs:',
  'schedule.history_none': 'Schedule “{name}” (`{id}`) has not run yet.',
  'schedule.history.line': '{slot} · {outcome}',
  'schedule.history.span': '{start} → {end} ({seconds} s)',
  'schedule.history.started': 'started {start}',
  'schedule.history.size': '{size}, {count} {count:message|messages}',
  'schedule.history.cost': 'cost {cost}',
  'schedule.history.ids': 'message ids {ids}',
  'schedule.outcome.queued': 'waiting',
  'schedule.outcome.running': 'running',
  'schedule.outcome.sending': 'being sent',
  'schedule.outcome.delivered': 'delivered',
  'schedule.outcome.failed': 'failed',
  'schedule.outcome.unknown': 'may not have arrived',
  'schedule.outcome.skipped': 'skipped',
  'schedule.outcome.replaced': 'replaced by the next one',
  'schedule.manual': 'by hand {when}',

  'tool.cron_list': 'show schedules',
  'tool.cron_manage': 'create and manage schedules (confirmed on a card)',
  'tools.cron_list.title': 'Show schedules',
  'tools.cron_manage.title': 'Schedule: {action} {what}',

  'error.schedule.cron':
    'The time “{cron}” is not right: {why}\nWrite five fields, minute hour day month weekday; `0 9 * * 1-5` is nine o’clock from Monday to Friday.',
  'error.schedule.cron_minute':
    'The time “{cron}” is not right: minutes go from 0 to 59, not {value}.\nWrite five fields, minute hour day month weekday; `0 9 * * 1-5` is nine o’clock from Monday to Friday.',
  'error.schedule.cron_hour':
    'The time “{cron}” is not right: hours go from 0 to 23, not {value}.\nWrite five fields, minute hour day month weekday; `0 9 * * 1-5` is nine o’clock from Monday to Friday.',
  'error.schedule.cron_day':
    'The time “{cron}” is not right: days go from 1 to 31, not {value}.\nWrite five fields, minute hour day month weekday; `0 9 * * 1-5` is nine o’clock from Monday to Friday.',
  'error.schedule.cron_month':
    'The time “{cron}” is not right: months go from 1 to 12, not {value}.\nWrite five fields, minute hour day month weekday; `0 9 * * 1-5` is nine o’clock from Monday to Friday.',
  'error.schedule.cron_weekday':
    'The time “{cron}” is not right: weekdays go from 0 to 7 (0 and 7 are Sunday), not {value}.\nWrite five fields, minute hour day month weekday; `0 9 * * 1-5` is nine o’clock from Monday to Friday.',
  'error.schedule.cron_fields':
    'The time “{cron}” is not right: it has {count} fields instead of 5.\nWrite five fields, minute hour day month weekday; `0 9 * * 1-5` is nine o’clock from Monday to Friday.',
  'error.schedule.zone':
    'There is no time zone “{zone}”.\nWrite a name such as Asia/Shanghai or America/New_York.',
  'error.schedule.never':
    'The time “{cron}” never comes, like 31 February.\nThe first of each month at nine is `0 9 1 * *`.',
  'error.schedule.past': '{at} ({zone}) is over; write a time that is still to come.',
  'error.schedule.when':
    'It needs one time, and only one.\nWrite cron (e.g. `0 9 * * 1-5`) or at (e.g. `2026-12-24T09:00`).',
  'error.schedule.what':
    'It needs one thing to do, and only one.\nWrite prompt (what to do each time) or report (the name of a report).',
  'error.schedule.where': 'The destination is missing.',
  'error.schedule.report': 'There is no report “{report}”.\nKnown: {known}',
  'error.schedule.field': '“{place}” is not right: {why}',
  'error.schedule.bot': 'There is no bot “{bot}”.\nKnown: {known}',
  'error.schedule.robot': 'There is no group robot “{name}”.\nKnown: {known}',
  'error.schedule.robot_wait':
    'A group robot cannot show an approval card.\nUse approvals=skip, or a chat that the bot is in.',
  'error.schedule.id_taken': 'A schedule made in chat has this id.\nChoose another id.',
  'error.schedule.chat': 'The chat “{chat}” is not known. Mention the bot there once; /whoami shows its id.',
  'error.schedule.chat_gone': 'The bot is not in the chat “{chat}” any more; add it again first.',
  'error.schedule.other_chat':
    'Only administrators may push into another chat. Create the schedule in the chat that shall get it.',
  'error.schedule.not_found': 'There is no schedule “{id}”. Send /schedule to see all.',
  'error.schedule.not_yours': 'Only the creator or an administrator may change schedule `{id}`.',
  'error.schedule.in_file':
    'Schedule `{id}` is in the configuration; an administrator changes it in yizhan.yaml.',
  'error.schedule.over': 'Schedule `{id}` is over and will not run again.',
  'error.schedule.busy': 'The last run of schedule `{id}` has not ended; try again later.',
  'error.schedule.too_many': 'You have {count} schedules; delete some first.',
  'error.schedule.admin_only': 'Only administrators may name commands that need no approval.',
  'error.schedule.operate':
    'Creating and changing schedules needs the right to operate; ask an administrator.',
  'error.schedule.creator_gone': 'Its creator {who} may not use this service any more.',
  'error.schedule.creator_rights': 'Its creator {who} has lost the right to operate.',
  'error.schedule.dropped': 'It was cancelled before it began.',
  'error.schedule.run_failed': 'The run did not succeed; the chat or the log says why.',
  'error.schedule.run_stopped': 'The run was stopped.',
  'error.schedule.nothing_sent': 'The run ended with nothing to send.',
  'error.schedule.report_slow': 'The report took longer than five minutes; narrow the query.',
  'error.schedule.report_failed': 'The report could not be made; the log says why.',

  'demo.schedule': 'I will arrange that.',
  'demo.schedule_done': '{result}',
  'demo.schedules': 'Let me see which schedules there are.',
  'demo.schedules_done': 'The schedules:\n\n{result}',
  'demo.sales':
    'Yesterday’s sales would stand here. The demo model has no sales data and makes up no figures; with a real model and a source (a report or MCP) the real ones come.',
}
