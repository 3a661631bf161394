/** The schedule tools. They know words of a person; the desk knows what may be done. */
import type { AnyTool } from '../../protocol/tool.ts'
import type { ScheduleTools } from './asking.ts'
import { createCronListTool } from './cron-list.ts'
import { createCronManageTool } from './cron-manage.ts'

/** Both tools over one desk. */
export function createScheduleTools(parts: ScheduleTools): AnyTool[] {
  return [createCronListTool(parts), createCronManageTool(parts)]
}
