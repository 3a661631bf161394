/** The memory tools. They know how a memory reads as data; who may see what is the memory's own. */
import type { AnyTool } from '../../protocol/tool.ts'
import type { MemoryDeps } from './deps.ts'
import { createMemoryAppendTool } from './memory-append.ts'
import { createMemoryReplaceTool } from './memory-replace.ts'
import { createRecallFactTool } from './recall-fact.ts'
import { createRecallMemoryTool } from './recall-memory.ts'
import { createRememberFactTool } from './remember-fact.ts'

/** The five tools over one memory, in the order the model sees them. */
export function createMemoryTools(memory: MemoryDeps): AnyTool[] {
  return [
    createRecallMemoryTool(memory),
    createRememberFactTool(memory),
    createRecallFactTool(memory),
    createMemoryReplaceTool(memory),
    createMemoryAppendTool(memory),
  ]
}
