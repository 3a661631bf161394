import { useStore, useText } from '../context.ts'
import { Icon } from './icons.tsx'

export function ToastList() {
  const { toasts } = useStore()
  const t = useText()
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.list.value.map(({ id, tone, text }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label={t('toast.close')} onClick={() => toasts.close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
