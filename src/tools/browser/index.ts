/** The browser tools. They know pages; the machinery knows processes and addresses. */
import type { Browsers } from '../../browser/browsers.ts'
import type { AnyTool } from '../../protocol/tool.ts'
import { createClickTool } from './click.ts'
import { createEvalTool } from './eval.ts'
import { createNavigateTool } from './navigate.ts'
import { createScreenshotTool } from './screenshot.ts'
import { createSelectTool } from './select.ts'
import { createSnapshotTool } from './snapshot.ts'
import { createTabsTool } from './tabs.ts'
import { createTypeTool } from './type.ts'

/** Eight tools that share one browser a session; browser_navigate opens it. */
export function createBrowserTools(browsers: Browsers): AnyTool[] {
  return [
    createNavigateTool(browsers),
    createSnapshotTool(browsers),
    createClickTool(browsers),
    createTypeTool(browsers),
    createSelectTool(browsers),
    createEvalTool(browsers),
    createScreenshotTool(browsers),
    createTabsTool(browsers),
  ]
}
