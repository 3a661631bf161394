import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ShippedTools, shippedTools } from './support/shipped-tools.ts'
import { toolSection, withToolSection } from './support/tool-table.ts'

const REWRITE = 'TOOL_TABLE=write npx vitest run --config test/vitest.config.ts test/tool-table.test.ts'
const READMES = [
  ['README.md', 'en'],
  ['README.zh-CN.md', 'zh-CN'],
] as const

let shipped: ShippedTools
beforeAll(async () => {
  shipped = await shippedTools()
})

describe('the list of tools', () => {
  it.each(READMES)('%s shows the tools there are', (file, locale) => {
    const readme = readFileSync(file, 'utf8')
    const fresh = withToolSection(readme, toolSection(shipped, locale))
    if (fresh === undefined) expect.fail(`${file} has lost the marks around its list of tools`)
    if (process.env['TOOL_TABLE'] === 'write') writeFileSync(file, fresh)
    else expect(readme === fresh, `the list of tools in ${file} is old; write it anew: ${REWRITE}`).toBe(true)
  })
})
