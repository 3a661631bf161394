import { agents } from './agents.ts'
import { approval } from './approval.ts'
import { browser } from './browser.ts'
import { config } from './config.ts'
import { desktop } from './desktop.ts'
import { engine } from './engine.ts'
import { errors } from './errors.ts'
import { feishu } from './feishu.ts'
import { gateway } from './gateway.ts'
import { mcp } from './mcp.ts'
import { memory } from './memory.ts'
import { net } from './net.ts'
import { operator } from './operator.ts'
import { report } from './report.ts'
import { schedule } from './schedule.ts'
import { tools } from './tools.ts'
import { video } from './video.ts'
import { web } from './web.ts'
import { wecom } from './wecom.ts'
import { workbench } from './workbench.ts'
import { workstation } from './workstation.ts'

export const zhCN: Readonly<Record<string, string>> = {
  ...agents,
  ...approval,
  ...browser,
  ...config,
  ...desktop,
  ...engine,
  ...errors,
  ...feishu,
  ...gateway,
  ...mcp,
  ...memory,
  ...net,
  ...operator,
  ...schedule,
  ...report,
  ...tools,
  ...video,
  ...web,
  ...wecom,
  ...workstation,
  ...workbench,
}
