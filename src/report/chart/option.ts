/** A chart in ECharts' words. Pure: the same chart gives the same option. */
import type { EChartsCoreOption } from 'echarts/core'
import type { ChartSpec } from '../content.ts'
import { exactSum } from '../table.ts'
import { frameOption } from './frame.ts'
import {
  FAINT,
  INK,
  MOST_BARS,
  RULE,
  SMALL,
  type Style,
  shortDates,
  shorten,
  TARGET,
  textWidth,
  valueLabel,
} from './layout.ts'
import { pieOption } from './pie.ts'

export interface Drawing {
  readonly option: EChartsCoreOption
  readonly height: number
}

/** What to draw and how high it is. Long labels lie beside horizontal bars, where they can be read. */
export function drawingOf(chart: ChartSpec, style: Style): Drawing {
  const shown = chart.type === 'line' ? chart : fewerBars(chart, style)
  if (chart.type === 'pie') return pieOption(chart, style)
  const labels = shortDates(shown.labels)
  const widest = Math.max(0, ...labels.map(textWidth))
  // Days run from left to right, however many there are.
  const isNamed = labels === shown.labels && labels.length > 1 && widest * labels.length > 44
  const lying = shown.type === 'bar' && shown.series.length === 1 && isNamed
  const height = lying ? Math.max(360, 150 + labels.length * 46) : 500
  return { option: axesOption({ ...shown, labels }, style, lying), height }
}

function axesOption(chart: ChartSpec, style: Style, lying: boolean): EChartsCoreOption {
  const legend = chart.series.length > 1
  const categories = {
    type: 'category' as const,
    data: chart.labels.map((label) => shorten(label, lying ? 18 : 16)),
    boundaryGap: chart.type !== 'line',
    inverse: lying,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: RULE } },
    axisLabel: { color: INK, fontSize: SMALL, hideOverlap: true, margin: 12, ...(lying && { interval: 0 }) },
  }
  const values = {
    type: 'value' as const,
    axisLabel: { color: FAINT, fontSize: SMALL - 2, formatter: (value: number) => valueLabel(value, style) },
    splitLine: { lineStyle: { color: RULE } },
    splitNumber: 4,
    ...(lying && { axisLabel: { show: false }, splitLine: { show: false } }),
    ...beyondData(chart),
  }
  return {
    ...frameOption(chart, style, legend),
    grid: {
      ...{ left: 20, right: rightMargin(chart, lying), top: legend ? 128 : 92, bottom: 20 },
      ...{ outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    },
    xAxis: lying ? values : categories,
    yAxis: lying ? categories : values,
    series: seriesOf(chart, style, lying),
  }
}

/** Room for what is written to the right of the last point, bar or line. */
function rightMargin(chart: ChartSpec, lying: boolean): number {
  if (lying) return 96
  return chart.target !== undefined || chart.type === 'line' ? 104 : 36
}

/** A target beyond the data still lies inside the picture. */
function beyondData(chart: ChartSpec): { max?: number } {
  const { target } = chart
  if (target === undefined) return {}
  const columns = chart.labels.map((_, at) => chart.series.map((series) => series.values[at] ?? 0))
  const heights = columns.map((values) => (chart.type === 'stacked' ? exactSum(values) : Math.max(...values)))
  return Math.max(...heights) >= target ? {} : { max: target }
}

function seriesOf(chart: ChartSpec, style: Style, lying: boolean): object[] {
  const stacked = chart.type === 'stacked'
  const crowded = chart.labels.length * chart.series.length > (chart.type === 'line' ? 9 : 12)
  const drawn = chart.series.map((series, index) => {
    const data = series.values.map((value) => value ?? '-')
    const label = {
      show: (lying || !crowded) && !stacked,
      position: lying ? 'right' : 'top',
      color: INK,
      fontSize: SMALL,
      // A target line may pass behind; the number stays readable.
      backgroundColor: '#ffffffd9',
      padding: [0, 3],
      formatter: ({ dataIndex }: { dataIndex: number }) => valueLabel(series.values[dataIndex], style),
    }
    const target = index === 0 ? targetLine(chart, style, lying) : {}
    if (chart.type === 'line')
      return { ...lineSeries(series.name, data, label, series.values, style), ...target }
    return {
      ...{ type: 'bar', name: series.name, data, label, barMaxWidth: lying ? 26 : 64, ...target },
      ...(stacked && { stack: 'all' }),
      itemStyle: { borderRadius: stacked ? 0 : lying ? [0, 4, 4, 0] : [4, 4, 0, 0] },
    }
  })
  return stacked ? [...drawn, totals(chart, style)] : drawn
}

function lineSeries(
  name: string,
  data: readonly (number | '-')[],
  label: { show: boolean },
  values: readonly (number | null)[],
  style: Style,
): object {
  return {
    ...{ type: 'line', name, data, label, lineStyle: { width: 4 }, symbol: 'circle', symbolSize: 9 },
    showSymbol: data.length <= 31,
    // The newest value is what people look for.
    ...(!label.show && {
      endLabel: {
        show: true,
        color: INK,
        fontSize: SMALL,
        formatter: () =>
          valueLabel(
            values.findLast((value) => value !== null),
            style,
          ),
      },
    }),
  }
}

/** Sums above stacked bars, by a series that draws nothing else. */
function totals(chart: ChartSpec, style: Style): object {
  const sums = chart.labels.map((_, at) =>
    chart.series.reduce((sum, series) => sum + (series.values[at] ?? 0), 0),
  )
  return {
    ...{ type: 'line', name: '', data: sums, silent: true, lineStyle: { opacity: 0 } },
    ...{ symbol: 'circle', symbolSize: 1, itemStyle: { color: 'transparent' } },
    label: {
      show: sums.length <= 12,
      position: 'top',
      color: INK,
      fontSize: SMALL,
      formatter: ({ dataIndex }: { dataIndex: number }) => valueLabel(sums[dataIndex], style),
    },
    showSymbol: true,
  }
}

function targetLine(chart: ChartSpec, style: Style, lying: boolean): object {
  if (chart.target === undefined) return {}
  return {
    markLine: {
      silent: true,
      symbol: 'none',
      z: 2,
      lineStyle: { color: TARGET, type: 'dashed', width: 2 },
      label: {
        color: TARGET,
        fontSize: SMALL - 2,
        position: lying ? 'start' : 'end',
        formatter: () => `${style.target}${lying ? ' ' : '\n'}${valueLabel(chart.target, style)}`,
      },
      data: [lying ? { xAxis: chart.target } : { yAxis: chart.target }],
    },
  }
}

/** The largest bars; what is beyond the most is one bar. Days stay in their order and are only cut. */
function fewerBars(chart: ChartSpec, style: Style): ChartSpec {
  if (chart.labels.length <= MOST_BARS || shortDates(chart.labels) !== chart.labels) return chart
  const order = chart.labels
    .map((_, at) => ({ at, size: chart.series.reduce((sum, series) => sum + (series.values[at] ?? 0), 0) }))
    .sort((a, b) => b.size - a.size)
  const kept = order.slice(0, MOST_BARS - 1).map(({ at }) => at)
  const rest = order.slice(MOST_BARS - 1).map(({ at }) => at)
  return {
    ...chart,
    labels: [...kept.map((at) => chart.labels[at] ?? ''), `${style.other}（${rest.length}）`],
    series: chart.series.map((series) => ({
      name: series.name,
      values: [
        ...kept.map((at) => series.values[at] ?? null),
        rest.reduce((sum, at) => sum + (series.values[at] ?? 0), 0),
      ],
    })),
  }
}
