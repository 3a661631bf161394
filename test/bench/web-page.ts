/** From the last byte of a page to its Markdown in the result, with the event loop watched meanwhile. */
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts'
import type { Sandbox } from '../../src/protocol/sandbox.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createReader } from '../../src/tools/web/reader/reader.ts'
import { createWebFetchTool } from '../../src/tools/web/web-fetch.ts'
import { startPageServer } from '../support/page-server.ts'
import { articlePage } from './article.ts'
import { atMost, median, type Row } from './row.ts'
import { callTool, delayDuring, openPlace } from './tool-bench.ts'

const BYTES = 300_000

/** The first page also starts the reader's thread; the gate is for the pages after it. */
export async function measureWebPage(sandbox: Sandbox, quick: boolean): Promise<Row[]> {
  using place = openPlace(sandbox)
  const html = articlePage(BYTES)
  let sentAt = 0
  await using server = await startPageServer((_path, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(html, () => {
      sentAt = performance.now()
    })
  })
  const clock = createSystemClock()
  const fetch = createGuardedFetch({ allow: [server.host], clock })
  const tools = [createWebFetchTool({ fetch, reader: createReader(clock), clock })]
  let asked = 0
  const read = async (): Promise<number> => {
    const result = await callTool(tools, place.context('page'), 'web_fetch', {
      url: `${server.url}/${asked++}`,
    })
    if (!result.ok || !result.text.includes('值班表')) throw new Error('the page was not read')
    return performance.now() - sentAt
  }
  const cold = await read()
  const warm: number[] = []
  for (let i = 0; i < (quick ? 7 : 15); i++) warm.push(await read())
  const delay = await delayDuring(read)
  const size = `${BYTES / 1_000} KB`
  return [
    atMost(`web_fetch, ${size} page, last byte → Markdown`, median(warm), 'ms', 150),
    { ...atMost('web_fetch, the first page after a start', cold, 'ms', cold), target: 'for information' },
    atMost('web_fetch, event-loop delay p99 meanwhile', delay, 'ms', 20),
  ]
}
