/** Numbers as people of the language read them: 128.45 万元, 1.28M, +12.3%. */
import type { Locale } from '../protocol/ports.ts'

/** Shown short from here on; below, every digit is shown. */
const SHORT_FROM = 100_000

const SCALES: Readonly<Record<Locale, readonly { readonly from: number; readonly name: string }[]>> = {
  'zh-CN': [
    { from: 100_000_000, name: '亿' },
    { from: 10_000, name: '万' },
  ],
  en: [
    { from: 1_000_000_000, name: 'B' },
    { from: 1_000_000, name: 'M' },
    { from: 1_000, name: 'k' },
  ],
}

export interface NumberStyle {
  readonly locale: Locale
  /** `元`, `单`, `tokens`; `%` shows a share of one as per cent. */
  readonly unit?: string
  /** Most digits after the point; default 2. */
  readonly decimals?: number
}

/** Every digit, with thousands separators: for tables. */
export function exactNumber(value: number, style: NumberStyle): string {
  if (style.unit === '%') return `${digits(value * 100, style.locale, style.decimals ?? 1)}%`
  return digits(value, style.locale, style.decimals ?? 2)
}

/** For headlines: large numbers in 万 and 亿 (k, M, B), with their unit. */
export function shortNumber(value: number, style: NumberStyle): string {
  if (style.unit === '%') return exactNumber(value, style)
  const scale =
    Math.abs(value) < SHORT_FROM
      ? undefined
      : SCALES[style.locale].find(({ from }) => Math.abs(value) >= from)
  const number = digits(value / (scale?.from ?? 1), style.locale, style.decimals ?? 2)
  const unit = `${scale?.name ?? ''}${style.locale === 'en' && scale && style.unit ? ' ' : ''}${style.unit ?? ''}`
  if (unit === '') return number
  return scale !== undefined && style.locale === 'en' ? `${number}${unit}` : `${number} ${unit}`
}

/** For axes: the same as short, from ten thousand on, without unit. */
export function axisNumber(value: number, locale: Locale): string {
  const scale = SCALES[locale].find(({ from }) => Math.abs(value) >= from)
  return `${digits(value / (scale?.from ?? 1), locale, 2)}${scale?.name ?? ''}`
}

/** A change against an earlier value: `+12.3%`; undefined when the earlier one is zero. */
export function changeOf(now: number, before: number, locale: Locale): string | undefined {
  if (before === 0) return undefined
  const share = (now - before) / Math.abs(before)
  return `${share >= 0 ? '+' : '-'}${digits(Math.abs(share) * 100, locale, 1)}%`
}

function digits(value: number, locale: Locale, decimals: number): string {
  // Adding zero turns -0 into 0.
  const rounded = Number(value.toFixed(decimals)) + 0
  return new Intl.NumberFormat(locale, { maximumFractionDigits: decimals }).format(rounded)
}
