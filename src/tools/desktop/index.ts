/** The desktop tools. They know places, keys and elements; the machinery knows displays and processes. */
import type { Desktops } from '../../desktop/desktops.ts'
import type { AnyTool } from '../../protocol/tool.ts'
import { createAxScriptTool } from './ax-script.ts'
import { createKeyboardKeyTool } from './keyboard-key.ts'
import { createKeyboardTypeTool } from './keyboard-type.ts'
import { createMouseClickTool } from './mouse-click.ts'
import { createMouseDragTool } from './mouse-drag.ts'
import { createMouseScrollTool } from './mouse-scroll.ts'
import { createScreenshotTool } from './screenshot.ts'
import { createScreenshotWindowTool } from './screenshot-window.ts'

/** Eight tools that share one desktop a session. */
export function createDesktopTools(desktops: Desktops): AnyTool[] {
  return [
    createScreenshotTool(desktops),
    createScreenshotWindowTool(desktops),
    createMouseClickTool(desktops),
    createMouseScrollTool(desktops),
    createMouseDragTool(desktops),
    createKeyboardTypeTool(desktops),
    createKeyboardKeyTool(desktops),
    createAxScriptTool(desktops),
  ]
}
