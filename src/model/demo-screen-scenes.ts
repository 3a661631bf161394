/** Scenes of the demo model that look at screens: a web page, the virtual desktop. */
import { block, type DemoReply, type Scene, type Step } from './demo-stage.ts'

const PROGRAM = 'mousepad'

/** 打开 http://… 点击 … 截图发给我 */
export const browse: Scene = ({ said, text }) => {
  const url = /(?:打开|浏览|访问|\bopen\b|\bbrowse\b|\bvisit\b)\s*(https?:\/\/[^\s，,。；;]+)/i.exec(
    said,
  )?.[1]
  if (!url) return undefined
  const what =
    /(?:点击|点一下|\bclick(?: on)?\b)\s*[“"「]?([^”"」，,。；;\n]+?)[”"」]?\s*(?:[，,。；;\n]|然后|再|并|\band\b|截图|$)/i
      .exec(said)?.[1]
      ?.trim()
  const pictures = /截图|截屏|screenshot|picture/i.test(said)
  const look: Step = () => ({ say: text('demo.browse_look'), call: { tool: 'browser_snapshot', args: {} } })
  const click: Step = (results) => {
    const ref = refOf(results[1] ?? '', what ?? '')
    if (ref === undefined)
      return { say: text('demo.browse_no_such', { what: what ?? '', result: block(results[1] ?? '') }) }
    return {
      say: text('demo.browse_click', { what: what ?? '' }),
      call: { tool: 'browser_click', args: { ref } },
    }
  }
  return [
    () => ({ say: text('demo.browse', { url }), call: { tool: 'browser_navigate', args: { url } } }),
    look,
    ...(what === undefined ? [] : [click, look]),
    ...(pictures
      ? [
          (): DemoReply => ({
            say: text('demo.screenshot'),
            call: { tool: 'browser_screenshot', args: { send: true } },
          }),
        ]
      : []),
    (results) => ({
      say: text(pictures ? 'demo.browse_done_sent' : 'demo.browse_done', {
        result: block(results[what === undefined ? 1 : 3] ?? ''),
      }),
    }),
  ]
}

/** 在虚拟桌面输入 … */
export const typeOnDesktop: Scene = ({ said, text }) => {
  const words =
    /(?:虚拟桌面|\bvirtual desktop\b)[\s\S]*?(?:输入|打字|写|\btype\b)\s*[:：]?\s*[“"「]?([^”"」\n]+)/i
      .exec(said)?.[1]
      ?.trim()
  if (!words) return undefined
  return [
    () => ({
      say: text('demo.desktop_open'),
      call: { tool: 'ax_script', args: { script: `open ${PROGRAM}` } },
    }),
    () => ({ say: text('demo.desktop_type'), call: { tool: 'keyboard_type', args: { text: words } } }),
    () => ({
      say: text('demo.desktop_read'),
      call: { tool: 'ax_script', args: { script: 'read role "text"' } },
    }),
    () => ({ say: text('demo.screenshot'), call: { tool: 'screenshot', args: { send: true } } }),
    (results) => ({ say: text('demo.desktop_done', { result: block(results[2] ?? '') }) }),
  ]
}

/** Ref of the first line of a snapshot that holds the words; those that can be clicked come first. */
function refOf(snapshot: string, words: string): string | undefined {
  const lines = snapshot
    .split('\n')
    .filter((line) => words !== '' && line.includes(words) && line.includes('[ref='))
  const line = lines.find((each) => /^\s*- (button|link|checkbox|tab|menuitem)\b/.test(each)) ?? lines[0]
  return /\[ref=((?:f\d+)?e\d+)\]/.exec(line ?? '')?.[1]
}
