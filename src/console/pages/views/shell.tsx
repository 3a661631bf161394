import { useStore, useText } from '../context.ts'
import { ChatList } from './chat-list.tsx'
import { Conversation } from './conversation.tsx'
import { Icon, Seal } from './icons.tsx'
import { Inspector } from './inspector.tsx'
import { ToastList } from './toast-list.tsx'

/** The three panes and the banner above them. */
export function Shell() {
  const { pane, connected } = useStore()
  const t = useText()
  return (
    <>
      <a class="skip" href="#message">
        {t('page.skip')}
      </a>
      <div class={`shell show-${pane.value}`}>
        <Banner />
        {connected.value ? null : (
          <p class="offline" role="status">
            {t('connection.lost')}
          </p>
        )}
        <div class="panes">
          <ChatList />
          <Conversation />
          <Inspector />
        </div>
      </div>
      <ToastList />
    </>
  )
}

function Banner() {
  const { state, texts } = useStore()
  const t = useText()
  const about = state.value?.about
  return (
    <header class="banner">
      <span class="brand">
        <Seal />
        <strong>{t('page.title')}</strong>
      </span>
      <span class="badge simulated">{t('banner.simulated')}</span>
      {about?.demo ? <span class="badge demo">{t('banner.demo')}</span> : null}
      <span class="banner-note">
        {t('banner.note')}
        {about?.demo ? ` ${t('banner.noteDemo')}` : ''}
      </span>
      <button
        type="button"
        class="quiet language"
        aria-label={t('language.switch')}
        title={t('language.switch')}
        onClick={() => texts.choose(texts.language.value === 'en' ? 'zh-CN' : 'en')}
      >
        <Icon name="globe" />
        {t('language.other')}
      </button>
    </header>
  )
}
