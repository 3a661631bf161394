/** Every text that people see, by key. One file per room and language; zh-CN is the original. */
import type { Locale, Translate } from '../protocol/ports.ts'
import { en } from './en/index.ts'
import { zhCN } from './zh-CN/index.ts'

const catalogues: Record<Locale, Readonly<Record<string, string>>> = {
  'zh-CN': zhCN,
  en,
}

/** `{name}`, or `{name:one|many}`: the first word when the number is 1, else the second. */
const HOLE = /\{(\w+)(?::([^{|}]*)\|([^{|}]*))?\}/g

/** Translation function of a language. An unknown key is a bug and throws. */
export function createTranslate(locale: Locale): Translate {
  const catalogue = catalogues[locale]
  return (key, params = {}) => {
    const template = catalogue[key]
    if (template === undefined) throw new Error(`no text for "${key}" in ${locale}`)
    return template.replace(HOLE, (whole, name: string, one?: string, many?: string) => {
      const value = params[name]
      if (value === undefined || one === undefined || many === undefined) return String(value ?? whole)
      return Number(value) === 1 ? one : many
    })
  }
}

/** True when the catalogue has the key; for texts chosen by an error's code. */
export function hasText(locale: Locale, key: string): boolean {
  return key in catalogues[locale]
}
