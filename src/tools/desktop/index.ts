/** The desktop tools. They know places, keys and elements; the machinery knows displays and processes. */
import type { Desktops } from '../../desktop/desktops.ts'
import type { AnyTool } from '../../protocol/tool.ts'
import { createAxScriptTool } from './ax-script.ts'
import { createKeyboardKeyTool, createKeyboardTypeTool } from './keyboard.ts'
import { createMouseClickTool, createMouseDragTool, createMouseScrollTool } from './mouse.ts'
import { createScreenshotTool, createScreenshotWindowTool } from './pictures.ts'

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
