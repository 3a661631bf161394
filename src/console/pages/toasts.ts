/** Short notices, as a platform's client shows them after a click. */
import { type ReadonlySignal, signal } from '@preact/signals'

export type ToastTone = 'info' | 'success' | 'warning' | 'error'

export interface Toast {
  readonly id: number
  readonly tone: ToastTone
  readonly text: string
}

export interface Toasts {
  readonly list: ReadonlySignal<readonly Toast[]>
  show(tone: ToastTone, text: string): void
  close(id: number): void
}

const SHOWN_MS = 5_000
const MAX_SHOWN = 4

export function createToasts(): Toasts {
  const list = signal<readonly Toast[]>([])
  let count = 0
  const close = (id: number): void => {
    list.value = list.peek().filter((toast) => toast.id !== id)
  }
  return {
    list,
    close,
    show: (tone, text) => {
      count += 1
      const id = count
      list.value = [...list.peek(), { id, tone, text }].slice(-MAX_SHOWN)
      setTimeout(() => close(id), SHOWN_MS)
    },
  }
}
