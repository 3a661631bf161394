/**
 * The playground page: a chat client for simulated platforms. It knows the neutral messages of
 * `protocol/playground`; it refuses to know any platform's JSON beyond showing it as it is.
 */
import './styles/tokens.css'
import './styles/elements.css'
import './styles/controls.css'
import './styles/avatar.css'
import './styles/chat-list.css'
import './styles/toasts.css'
import './styles/layout.css'
import './styles/messages.css'
import './styles/files.css'
import './styles/markdown.css'
import './styles/cards.css'
import './styles/composer.css'
import './styles/inspector.css'
import './styles/steps.css'
import './styles/traffic.css'
import './styles/mcp.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import { createApi } from './api.ts'
import { StoreContext } from './context.ts'
import { createStore } from './store.ts'
import { createTexts } from './text.ts'
import { Shell } from './views/shell.tsx'

const texts = createTexts(localStorage, navigator.language.startsWith('zh') ? 'zh-CN' : 'en')
const store = createStore(createApi(), texts)

effect(() => {
  document.documentElement.lang = texts.language.value
  document.title = texts.t('page.title')
})
render(
  <StoreContext.Provider value={store}>
    <Shell />
  </StoreContext.Provider>,
  document.body,
)
store.start()
