import { useState } from 'preact/hooks'
import { useStore, useText } from '../context.ts'
import type { TextKey } from '../texts/zh-cn.ts'
import { About } from './about.tsx'
import { Icon } from './icons.tsx'
import { McpServers } from './mcp-servers.tsx'
import { Steps } from './steps.tsx'
import { Traffic } from './traffic.tsx'

const TABS = ['steps', 'traffic', 'mcp', 'about'] as const
type Tab = (typeof TABS)[number]

const LABELS: Readonly<Record<Tab, TextKey>> = {
  steps: 'inspector.steps',
  traffic: 'inspector.traffic',
  mcp: 'inspector.mcp',
  about: 'inspector.about',
}

/** What happens behind the chat. */
export function Inspector() {
  const { pane } = useStore()
  const t = useText()
  const [tab, setTab] = useState<Tab>('steps')
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? TABS.length - 1 : 0
    const next = TABS[(TABS.indexOf(tab) + step) % TABS.length]
    if (step === 0 || next === undefined) return
    setTab(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <aside class="inspector" aria-label={t('inspector.title')}>
      <div class="inspector-head">
        <button
          type="button"
          class="quiet phone-only"
          aria-label={t('pane.close')}
          onClick={() => {
            pane.value = 'chat'
          }}
        >
          <Icon name="back" />
        </button>
        <div class="tabs" role="tablist" aria-label={t('inspector.title')} onKeyDown={move}>
          {TABS.map((one) => (
            <button
              key={one}
              id={`tab-${one}`}
              type="button"
              role="tab"
              aria-selected={one === tab}
              aria-controls="inspector-panel"
              tabIndex={one === tab ? 0 : -1}
              onClick={() => setTab(one)}
            >
              {t(LABELS[one])}
            </button>
          ))}
        </div>
      </div>
      <div id="inspector-panel" class="inspector-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <Panel tab={tab} />
      </div>
    </aside>
  )
}

function Panel({ tab }: { readonly tab: Tab }) {
  switch (tab) {
    case 'steps':
      return <Steps />
    case 'traffic':
      return <Traffic />
    case 'mcp':
      return <McpServers />
    case 'about':
      return <About />
  }
}
