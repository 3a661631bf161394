/** What every chart has around it. Pure. */
import type { EChartsCoreOption } from 'echarts/core'
import type { ChartSpec } from '../content.ts'
import { COLOURS, FAINT, INK, SMALL, type Style, shorten, TEXT } from './layout.ts'

/** Title, legend and what all charts share. */
export function frameOption(chart: ChartSpec, style: Style, legend: boolean): EChartsCoreOption {
  const unit = style.unit === undefined || style.unit === '%' ? '' : `（${style.unit}）`
  return {
    animation: false,
    backgroundColor: '#ffffff',
    color: COLOURS,
    title: {
      text: shorten(`${chart.title}${unit}`, 50),
      left: 24,
      top: 24,
      textStyle: { fontSize: TEXT + 4, color: INK, fontWeight: 'bold' },
    },
    ...(legend && {
      legend: {
        top: 72,
        left: 20,
        itemWidth: 22,
        itemHeight: 14,
        textStyle: { fontSize: SMALL, color: FAINT },
      },
    }),
  }
}
