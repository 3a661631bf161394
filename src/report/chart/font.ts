/**
 * Finding a font with Chinese characters. The drawing library leaves out what a font does not have and
 * says nothing, so a font is believed only after it has drawn something.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Resvg } from '@resvg/resvg-wasm'
import { AppError } from '../../protocol/errors.ts'

export interface Font {
  readonly bytes: Uint8Array
  /** Collections hold several faces; this one has the forms that are usual in China. */
  readonly family: string
}

const FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts', '/System/Library/Fonts', '/Library/Fonts']

/** Best first. Regular weights only: one file is enough. */
const KNOWN: readonly { readonly file: RegExp; readonly family: string }[] = [
  { file: /^NotoSansCJK(sc)?-Regular\.(ttc|otf)$/i, family: 'Noto Sans CJK SC' },
  { file: /^NotoSansSC.*\.(ttf|otf)$/i, family: 'Noto Sans SC' },
  { file: /^SourceHanSans(SC|CN)?-Regular\.(ttc|otf)$/i, family: 'Source Han Sans SC' },
  { file: /^wqy-microhei\.ttc$/i, family: 'WenQuanYi Micro Hei' },
  { file: /^wqy-zenhei\.ttc$/i, family: 'WenQuanYi Zen Hei' },
  { file: /^PingFang\.ttc$/i, family: 'PingFang SC' },
  { file: /^Hiragino Sans GB\.ttc$/i, family: 'Hiragino Sans GB' },
  { file: /^DroidSansFallback(Full)?\.ttf$/i, family: 'Droid Sans Fallback' },
]
const PACKAGED = '@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf'

/** Characters that look different in any font that has them. */
const SAMPLES = ['报', '表']

/** The first font that draws Chinese: the operator's, the system's, the package's. Needs the library initialised. */
export function findFont(configured: string | undefined): Font {
  if (configured !== undefined) {
    const font = loadFont(configured)
    if (font !== undefined) return font
    throw noFont(`${configured} draws no Chinese characters`)
  }
  for (const path of [...systemFonts(), ...packagedFont()]) {
    const font = loadFont(path)
    if (font !== undefined) return font
  }
  throw noFont('no font with Chinese characters was found')
}

/** What the drawing library is told about a font. */
export function fontOptions({ bytes, family }: Font): object {
  return {
    ...{ fontBuffers: [bytes], loadSystemFonts: false },
    ...{ defaultFontFamily: family, sansSerifFamily: family },
  }
}

function loadFont(path: string): Font | undefined {
  if (!existsSync(path)) return undefined
  const name = path.split('/').at(-1) ?? ''
  const family = KNOWN.find(({ file }) => file.test(name))?.family ?? ''
  const font = { bytes: readFileSync(path), family }
  return drawsChinese(font) ? font : undefined
}

/** True when both samples leave ink, and not the same ink: a box for "missing" is always the same box. */
function drawsChinese(font: Font): boolean {
  const [first, second] = SAMPLES.map((character) => pixelsOf(font, character))
  return (
    first !== undefined && second !== undefined && hasInk(first) && hasInk(second) && !first.equals(second)
  )
}

function pixelsOf(font: Font, character: string): Buffer {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><text x="4" y="32" font-size="30">${character}</text></svg>`
  const drawing = new Resvg(svg, { font: fontOptions(font) })
  const image = drawing.render()
  const pixels = Buffer.from(image.pixels)
  image.free()
  drawing.free()
  return pixels
}

/** Any pixel that is not wholly transparent. */
function hasInk(pixels: Buffer): boolean {
  return pixels.some((value, index) => index % 4 === 3 && value > 0)
}

function systemFonts(): string[] {
  const files = FOLDERS.filter(existsSync).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return KNOWN.flatMap(({ file }) => files.filter((path) => file.test(path.split('/').at(-1) ?? '')))
}

function packagedFont(): string[] {
  try {
    return [createRequire(import.meta.url).resolve(PACKAGED)]
  } catch {
    // The package is optional; without it the system's fonts are all there is.
    return []
  }
}

function noFont(reason: string): AppError {
  return new AppError('report.no_font', reason, {
    hint: 'Install one (Debian: apt install fonts-noto-cjk) or name a file in reports.font.',
    params: { reason },
  })
}
