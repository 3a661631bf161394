import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionKey } from '../../../../src/protocol/address.ts'
import { prepareFolders } from '../../../../src/session/workspace.ts'
import { type GatewayStage, group, messageEvent, openGateway } from '../stage.ts'

let stage: GatewayStage
beforeEach(async () => {
  stage = await openGateway()
})
afterEach(() => stage.close())

/** Reading folders takes real turns of the disk, so the command is awaited by its drain. */
async function ask(): Promise<string | undefined> {
  await stage.gateway.receive(messageEvent({ text: '/files', mentionsBot: true }))
  await stage.gateway.drain()
  await stage.clock.advance(0)
  return stage.adapter.said()[0]
}

describe('/files', () => {
  it('says that there are none', async () => {
    expect(await ask()).toBe('command.files_none')
  })

  it('lists this chat’s files, newest first, without hidden ones', async () => {
    const { workspace } = prepareFolders(stage.store.dataDir, sessionKey(group))
    mkdirSync(join(workspace, 'out'))
    for (const [name, at] of [
      ['a.txt', 1],
      ['out/b.csv', 2],
      ['.git', 3],
    ] as const) {
      writeFileSync(join(workspace, name), 'x'.repeat(2_048))
      utimesSync(join(workspace, name), at, at)
    }
    expect(await ask()).toBe('command.files count=2 shown=2\n- `out/b.csv` 2.0 KB\n- `a.txt` 2.0 KB')
  })
})
