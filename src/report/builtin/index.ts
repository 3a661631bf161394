/** The reports of the house. A new one is a file beside this and a line here. */
import type { AnyReport } from '../report.ts'
import { approvalsWaiting } from './approvals-waiting.ts'
import { csv } from './csv.ts'
import { json } from './json.ts'
import { sql } from './sql.ts'
import { toolFailures } from './tool-failures.ts'
import { usage } from './usage.ts'

export const builtinReports: readonly AnyReport[] = [approvalsWaiting, usage, toolFailures, sql, csv, json]
