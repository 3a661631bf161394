/** Words of the page in the chosen language. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { en } from './texts/en.ts'
import { type TextKey, zhCN } from './texts/zh-cn.ts'

export type Language = 'zh-CN' | 'en'
export type Params = Readonly<Record<string, string | number>>

export interface Texts {
  readonly language: ReadonlySignal<Language>
  /** Reads the language, so a view that calls it changes with it. */
  t(key: TextKey, params?: Params): string
  /** The key's text, or undefined when there is none; for codes that come from the server. */
  find(key: string, params?: Params): string | undefined
  choose(language: Language): void
}

/** `{name}`, or `{name:one|many}`: the first word when the number is 1, else the second. */
const HOLE = /\{(\w+)(?::([^{|}]*)\|([^{|}]*))?\}/g
const STORAGE_KEY = 'yizhan.language'
const catalogues: Readonly<Record<Language, Readonly<Record<string, string>>>> = { 'zh-CN': zhCN, en }

/** Texts in the language that was chosen before, else in `initial`. */
export function createTexts(storage: Storage, initial: Language): Texts {
  const stored = storage.getItem(STORAGE_KEY)
  const language: Signal<Language> = signal(stored === 'en' || stored === 'zh-CN' ? stored : initial)
  const find: Texts['find'] = (key, params = {}) =>
    catalogues[language.value][key]?.replace(HOLE, (whole, name: string, one?: string, many?: string) => {
      const value = params[name]
      if (value === undefined || one === undefined || many === undefined) return String(value ?? whole)
      return value === 1 ? one : many
    })
  return {
    language,
    find,
    t: (key, params) => find(key, params) ?? key,
    choose: (next) => {
      language.value = next
      storage.setItem(STORAGE_KEY, next)
    },
  }
}

/** `12.3 KB`, `4 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`
}

/** `840 ms`, `3.2 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}

/** `09:31` */
export function formatTime(at: number, language: Language): string {
  return new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hour12: false }).format(at)
}
