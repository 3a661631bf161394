/** Charts as PNG, without a browser. Runs in the workshop's process, where the fonts are found once. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { BarChart, LineChart, PieChart } from 'echarts/charts'
import {
  GraphicComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
} from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { createTranslate } from '../../locale/index.ts'
import type { Locale } from '../../protocol/ports.ts'
import type { ChartSpec } from '../content.ts'
import { findFont, fontOptions } from './font.ts'
import { WIDTH } from './layout.ts'
import { drawingOf } from './option.ts'

use([
  ...[BarChart, LineChart, PieChart, SVGRenderer],
  ...[GraphicComponent, GridComponent, LegendComponent, MarkLineComponent, TitleComponent],
])

/** Pixels per unit of layout: sharp on a phone, far below every platform's size limit. */
const SCALE = 1.5

export interface Painter {
  paint(chart: ChartSpec, locale: Locale): Uint8Array
}

/** Once in a process. Rejects with `report.no_font` when Chinese would come out as nothing. */
export async function createPainter(configuredFont: string | undefined): Promise<Painter> {
  await initWasm(await readFile(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')))
  const font = fontOptions(findFont(configuredFont))
  return {
    paint: (chart, locale) => {
      const drawing = new Resvg(svgOf(chart, locale), {
        fitTo: { mode: 'width', value: WIDTH * SCALE },
        font,
      })
      const image = drawing.render()
      const png = image.asPng()
      image.free()
      drawing.free()
      return png
    },
  }
}

export function svgOf(chart: ChartSpec, locale: Locale): string {
  const text = createTranslate(locale)
  const { option, height } = drawingOf(chart, {
    locale,
    unit: chart.unit,
    other: text('report.chart.other'),
    total: text('report.chart.total'),
    target: text('report.chart.target'),
  })
  const canvas = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height })
  try {
    canvas.setOption(option)
    return canvas.renderToSVGString()
  } finally {
    canvas.dispose()
  }
}
