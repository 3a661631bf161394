/** A pie as a ring with its total in the middle, and a list of its shares beside it. Pure. */
import type { EChartsCoreOption } from 'echarts/core'
import type { ChartSpec } from '../content.ts'
import { exactNumber } from '../number.ts'
import { frameOption } from './frame.ts'
import { COLOURS, FAINT, INK, MOST_SLICES, SMALL, type Style, shorten, TEXT, valueLabel } from './layout.ts'

const RING = { x: 190, outer: 150, inner: 92 }
const LIST = { mark: 385, name: 415, share: 726, row: 52 }

export function pieOption(chart: ChartSpec, style: Style): { option: EChartsCoreOption; height: number } {
  const slices = slicesOf(chart, style)
  const total = slices.reduce((sum, slice) => sum + slice.value, 0)
  const height = Math.max(440, 140 + slices.length * LIST.row)
  const middle = 92 + (height - 112) / 2
  return {
    height,
    option: {
      ...frameOption(chart, style, false),
      graphic: [
        text(style.total, RING.x, middle - 20, SMALL, FAINT, 'center'),
        text(valueLabel(total, style), RING.x, middle + 16, TEXT + 6, INK, 'center'),
        ...slices.flatMap((slice, index) => {
          const y = middle + (index - (slices.length - 1) / 2) * LIST.row
          return lineOf(slice, y, COLOURS[index % COLOURS.length] ?? INK, total, style)
        }),
      ],
      series: [
        {
          type: 'pie',
          radius: [RING.inner, RING.outer],
          center: [RING.x, middle],
          data: slices,
          itemStyle: { borderColor: '#ffffff', borderWidth: 3 },
          label: { show: false },
          labelLine: { show: false },
        },
      ],
    },
  }
}

/** Colour, name, value and share of one slice. */
function lineOf(
  slice: { name: string; value: number },
  y: number,
  colour: string,
  total: number,
  style: Style,
): object[] {
  const share = exactNumber(total === 0 ? 0 : slice.value / total, { locale: style.locale, unit: '%' })
  const mark = { x: LIST.mark, y: y - 8, width: 16, height: 16, r: 4 }
  return [
    { type: 'rect', shape: mark, style: { fill: colour } },
    text(shorten(slice.name, 14), LIST.name, y, SMALL, INK, 'left'),
    text(`${valueLabel(slice.value, style)} · ${share}`, LIST.share, y, SMALL - 1, FAINT, 'right'),
  ]
}

function text(value: string, x: number, y: number, size: number, fill: string, align: string): object {
  return {
    type: 'text',
    style: { text: value, x, y, fontSize: size, fill, textAlign: align, textVerticalAlign: 'middle' },
  }
}

/** Largest first, what is beyond the most as one. A ring has no room for values below zero. */
function slicesOf(chart: ChartSpec, style: Style): { name: string; value: number }[] {
  const values = chart.series[0]?.values ?? []
  const slices = chart.labels
    .map((name, at) => ({ name, value: values[at] ?? 0 }))
    .filter((slice) => slice.value > 0)
    .sort((a, b) => b.value - a.value)
  if (slices.length <= MOST_SLICES) return slices
  const rest = slices.slice(MOST_SLICES - 1)
  const value = rest.reduce((sum, slice) => sum + slice.value, 0)
  return [...slices.slice(0, MOST_SLICES - 1), { name: `${style.other}（${rest.length}）`, value }]
}
