import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { serveSite } from '../../browser/playground-site.ts'

it('pages that are not built: the service is alive, and the page says what to run, until it is there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yizhan-pages-'))
  const site = await serveSite(folder, [])
  const page = () => fetch(`${site.url}/playground/`)

  expect((await fetch(`${site.url}/healthz`)).status).toBe(200)
  const missing = await page()
  expect(missing.status).toBe(503)
  expect(missing.headers.get('content-type')).toContain('text/plain; charset=utf-8')
  expect(await missing.text()).toContain('npm run build')

  await writeFile(join(folder, 'index.html'), 'the page')
  expect(await (await page()).text()).toBe('the page')
  await site.close()
})
