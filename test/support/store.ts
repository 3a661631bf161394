import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '../../src/store/store.ts'
import { createCollectingLogger } from './logger.ts'

/** A store in a new temporary folder; `dataDir` lets a test open it again after closing. */
export async function openTestStore(
  dataDir = mkdtempSync(join(tmpdir(), 'yizhan-')),
): Promise<Store & { dataDir: string }> {
  return { ...(await openStore({ dataDir, logger: createCollectingLogger() })), dataDir }
}
