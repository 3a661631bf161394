import { createTranslate } from '../../src/locale/index.ts'
import type { Locale } from '../../src/protocol/ports.ts'
import type { AnyTool } from '../../src/protocol/tool.ts'
import type { ShippedTools } from './shipped-tools.ts'
import { TWINS, WORKSTATION } from './tool-names.ts'

const BEGIN = '<!-- tools: made by test/tool-table.test.ts -->'
const END = '<!-- end of tools -->'

const WORDS = {
  en: {
    head: ['tool', 'what it does', 'by default'],
    asks: 'asks',
    once: 'asks once a session',
    changes: 'changes things',
    sends: 'sends',
    reads: 'reads',
    as: (name: string) => `in chat: \`${name}\``,
    chat: (count: number) => `In chat, ${count} tools:`,
    workstation: (count: number) => `For MCP clients, the ${count} workstation tools:`,
  },
  'zh-CN': {
    head: ['工具', '做什么', '默认'],
    asks: '需要审批',
    once: '每个会话询问一次',
    changes: '会改动内容',
    sends: '会发送',
    reads: '只读',
    as: (name: string) => `群聊里叫 \`${name}\``,
    chat: (count: number) => `群聊里有 ${count} 个工具：`,
    workstation: (count: number) => `给 MCP 客户端的 ${count} 个工作站工具：`,
  },
}

/** The part of a README that lists the tools, from the tools themselves. */
export function toolSection({ chat, workstation }: ShippedTools, locale: Locale): string {
  const words = WORDS[locale]
  return [
    BEGIN,
    words.chat(chat.length),
    '',
    ...table(chat, locale),
    '',
    words.workstation(workstation.length),
    '',
    ...table(workstation, locale, true),
    END,
  ].join('\n')
}

/** The README with its list of tools replaced; undefined when it has no place for one. */
export function withToolSection(readme: string, section: string): string | undefined {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (from === -1 || to === -1) return undefined
  return readme.slice(0, from) + section + readme.slice(to + END.length)
}

function table(tools: readonly AnyTool[], locale: Locale, twins = false): string[] {
  const words = WORDS[locale]
  const text = createTranslate(locale)
  const rank = new Map<string, number>(
    Object.values(WORKSTATION)
      .flat()
      .map((name, index) => [name, index]),
  )
  const sorted = twins ? tools.toSorted((a, b) => (rank.get(a.name) ?? 0) - (rank.get(b.name) ?? 0)) : tools
  const rows = sorted.map((tool) => {
    const twin = twins ? TWINS[tool.name] : undefined
    const also = twin === undefined || twin === tool.name ? '' : ` (${words.as(twin)})`
    const about = (tool.about ?? text(`tool.${tool.name}`)).replace(
      / ?[（(](?:需要审批|needs approval)[）)]/,
      '',
    )
    return `| \`${tool.name}\` | ${about}${also} | ${effect(tool, words)} |`
  })
  return [`| ${words.head.join(' | ')} |`, '|---|---|---|', ...rows]
}

function effect({ risk, group }: AnyTool, words: (typeof WORDS)[Locale]): string {
  if (group !== undefined) return words.once
  if (risk === 'send') return words.sends
  if (risk === 'command' || risk === 'control') return words.asks
  return risk === 'read' ? words.reads : words.changes
}
