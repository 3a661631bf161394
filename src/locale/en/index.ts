import { approval } from './approval.ts'
import { engine } from './engine.ts'
import { errors } from './errors.ts'
import { feishu } from './feishu.ts'
import { gateway } from './gateway.ts'
import { net } from './net.ts'
import { tools } from './tools.ts'
import { wecom } from './wecom.ts'

export const en: Readonly<Record<string, string>> = {
  ...approval,
  ...engine,
  ...errors,
  ...feishu,
  ...gateway,
  ...net,
  ...tools,
  ...wecom,
}
