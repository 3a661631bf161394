/** Real virtual desktops with the real tools; text results and sent pictures are kept. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDesktops, type Desktops, type DesktopsDeps } from '../../../../src/desktop/desktops.ts'
import { createTranslate } from '../../../../src/locale/index.ts'
import type { ToolResult } from '../../../../src/protocol/tool.ts'
import { createCells } from '../../../../src/sandbox/cell.ts'
import { createSystemClock } from '../../../../src/system/clock.ts'
import { createDesktopTools } from '../../../../src/tools/desktop/index.ts'
import { createToolRegistry } from '../../../../src/tools/registry.ts'
import { createCollectingLogger } from '../../../support/logger.ts'

export interface DesktopStage {
  readonly desktops: Desktops
  readonly sent: { readonly name: string; readonly kind: string; readonly bytes: Buffer }[]
  workspace(sessionId?: string): string
  call(tool: string, args: object, sessionId?: string): Promise<ToolResult>
  stop(): Promise<void>
}

export function openDesktopStage(options: Partial<DesktopsDeps> = {}): DesktopStage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yizhan-desktop-')))
  const clock = createSystemClock()
  const desktops = createDesktops({
    programs: ['mousepad'],
    max: 2,
    idleMs: 600_000,
    cells: createCells('nobody', clock),
    epoch: async () => 0,
    clock,
    ...options,
  })
  const registry = createToolRegistry(createDesktopTools(desktops))
  let calls = 0
  const folder = (sessionId: string, kind: string): string => {
    const path = join(root, sessionId, kind)
    mkdirSync(path, { recursive: true })
    return path
  }
  const stage: DesktopStage = {
    desktops,
    sent: [],
    workspace: (sessionId = 's1') => folder(sessionId, 'workspace'),
    call: async (name, args, sessionId = 's1') => {
      const parsed = registry.parse({ id: 'x', name, arguments: JSON.stringify(args) })
      if (!parsed.ok) return parsed
      const ctx = {
        sessionId,
        runId: 'r1',
        callId: `call-${calls++}`,
        address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const },
        requester: 'feishu:ou_1' as const,
        workspace: folder(sessionId, 'workspace'),
        privateDir: folder(sessionId, 'private'),
        clock,
        logger: createCollectingLogger(),
        text: createTranslate('zh-CN'),
        sandbox: {
          status: () => ({ kind: 'unavailable' as const, reason: '', profile: '' }),
          run: () => Promise.reject(new Error('no commands here')),
          close: () => Promise.resolve(),
        },
        sendFile: async (request: { path: string; name: string; kind: string }) => {
          stage.sent.push({ ...request, bytes: readFileSync(request.path) })
          return { ok: true as const, messageId: 'om_1' }
        },
        setTodos: () => undefined,
        limits: { fileBytes: 10_000_000, imageBytes: 10_000_000 },
      }
      const bound = { tool: name, args: parsed.args }
      return parsed.tool.run(parsed.args, ctx, new AbortController().signal, bound)
    },
    stop: async () => {
      await desktops.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
  return stage
}
