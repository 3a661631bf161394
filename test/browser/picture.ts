/** Reads the newest picture of the chat that is open, as the page has loaded it. */
import type { Page } from 'playwright-core'
import { z } from 'zod'

const pictureShape = z.object({
  width: z.number(),
  height: z.number(),
  /** Red, green, blue near the lower right corner. */
  corner: z.array(z.number()),
  /** Dark pixels of the first line in the white area in the middle, in fifths of its length. */
  ink: z.array(z.number()),
})
export type Picture = z.infer<typeof pictureShape>

export async function readPicture(page: Page): Promise<Picture> {
  return pictureShape.parse(await page.evaluate(SCRIPT))
}

/** Runs in the page: only there is the picture of the same origin, so that its pixels may be read. */
const SCRIPT = `(async () => {
  const image = [...document.querySelectorAll('.image img')].at(-1)
  await image.decode()
  const { naturalWidth: width, naturalHeight: height } = image
  const paint = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
  paint.drawImage(image, 0, 0)
  const at = (x, y) => [...paint.getImageData(x, y, 1, 1).data].slice(0, 3)
  const isLight = (x, y) => at(x, y).every((part) => part > 200)
  let [left, top] = [width * 0.45 | 0, height * 0.6 | 0]
  while (top > 0 && isLight(width * 0.45 | 0, top)) top--
  while (left > 0 && isLight(left, height * 0.6 | 0)) left--
  const columns = []
  for (let x = left + 2; x < width * 0.5; x++) {
    let dark = 0
    for (let y = top + 2; y < top + 26; y++) if (at(x, y).every((part) => part < 128)) dark++
    columns.push(dark)
  }
  const first = columns.findIndex(Boolean)
  const fifth = (columns.findLastIndex(Boolean) + 1 - first) / 5
  const ink = [0, 1, 2, 3, 4].map((part) =>
    columns
      .slice(Math.round(first + part * fifth), Math.round(first + (part + 1) * fifth))
      .reduce((sum, dark) => sum + dark, 0),
  )
  return { width, height, corner: at(width - 20, height - 20), ink }
})()`
