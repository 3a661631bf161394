/** A key figure in words: value, change against the period before, distance to the target. Pure. */
import type { Locale, Translate } from '../protocol/ports.ts'
import type { Figure } from './content.ts'
import { changeOf, exactNumber, shortNumber } from './number.ts'

export interface FigureText {
  readonly value: string
  /** Empty when there is nothing to compare with. */
  readonly detail: string
}

export function figureText(figure: Figure, locale: Locale, text: Translate): FigureText {
  const style = {
    locale,
    ...(figure.unit !== undefined && { unit: figure.unit }),
    ...(figure.decimals !== undefined && { decimals: figure.decimals }),
  }
  const show = (value: number): string => shortNumber(value, style)
  if (figure.value === undefined) return { value: text('report.no_data'), detail: '' }
  const details = [
    comparison(figure, figure.value, locale, show, text),
    target(figure, figure.value, locale, show, text),
  ]
  return {
    value: show(figure.value),
    detail: details.filter((part) => part !== '').join(text('report.comma')),
  }
}

function comparison(
  { before, unit }: Figure,
  now: number,
  locale: Locale,
  show: (value: number) => string,
  text: Translate,
): string {
  if (before === undefined) return ''
  const { name, value } = before
  if (value === undefined) return text('report.before.none', { name })
  if (now === value) return text('report.before.same', { name })
  const arrow = now > value ? '↑' : '↓'
  // A share changes by points: from 10% to 12% is two points, not 20%.
  if (unit === '%') {
    const points = exactNumber(Math.abs(now - value) * 100, { locale, decimals: 1 })
    return text('report.before.points', { name, arrow, points, value: show(value) })
  }
  const change = changeOf(now, value, locale)
  if (change === undefined) return text('report.before.zero', { name })
  return text('report.before.change', {
    name,
    arrow,
    change: change.replace(/^[+-]/, ''),
    value: show(value),
  })
}

function target(
  { target: wanted, better = 'up' }: Figure,
  now: number,
  locale: Locale,
  show: (value: number) => string,
  text: Translate,
): string {
  if (wanted === undefined) return ''
  const params = { target: show(wanted), gap: show(Math.abs(now - wanted)) }
  if (better === 'down') return text(now <= wanted ? 'report.limit.kept' : 'report.limit.broken', params)
  const share = wanted === 0 ? '' : exactNumber(now / wanted, { locale, unit: '%' })
  return text(now >= wanted ? 'report.target.reached' : 'report.target.missed', { ...params, share })
}
