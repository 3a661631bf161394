import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSandbox, selfTest } from '../../../src/sandbox/index.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { realSandbox, TEST_LIMITS } from './real-sandbox.ts'

/** The places of S17 and the attempt that stands for each. */
const PLACES = {
  '/etc/shadow': 'read /etc/shadow',
  '~/.ssh': 'read /root/.ssh/id_rsa',
  'homes of people': 'list /home',
  'environments of other processes': 'read an environment with more than the fixed variables',
  '/proc/1/root': 'read /proc/1/root/etc/shadow',
  'other processes': 'see processes of the host',
  'the container daemon': 'read /var/run/docker.sock',
  'metadata addresses': 'have a route to 169.254.169.254 or anywhere else',
  'a loopback port of the service': 'reach a loopback port of the service',
  AF_VSOCK: 'socket AF_VSOCK',
  'abstract sockets': 'see abstract sockets of the host',
  'kernel settings': 'write /proc/sys',
  mount: 'mount',
  ptrace: 'ptrace',
  keyctl: 'keyctl',
  bpf: 'bpf',
  io_uring: 'io_uring_setup',
}

it('S17: from inside, every single attempt is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-test-secret-'))
  const secrets = ['yizhan.yaml', 'yizhan.db', 'yizhan.log'].map((name) => join(folder, name))
  for (const path of secrets) writeFileSync(path, 'canary')
  const sandbox = await realSandbox()
  const items = await selfTest(sandbox, { secretPaths: [...secrets, process.execPath] })
  for (const item of items) expect(item).toMatchObject({ outcome: 'refused', ok: true })
  const tried = items.map((item) => item.attempt)
  expect(tried).toEqual(
    expect.arrayContaining([...Object.values(PLACES), ...secrets.map((path) => `read ${path}`)]),
  )
  expect(tried.filter((attempt) => attempt.endsWith('of-another-chat.txt'))).toHaveLength(1)
  await sandbox.close()
  rmSync(folder, { recursive: true })
})

it('the self-test notices when there are no walls', async () => {
  const open = await createSandbox({ ...TEST_LIMITS, kind: 'none' }, { logger: createCollectingLogger() })
  // The same attempts with the service's own rights, as if bubblewrap did nothing.
  const disguised = { ...open, status: () => ({ kind: 'bubblewrap', reason: '', profile: '' }) as const }
  const items = await selfTest(disguised, { secretPaths: [process.execPath] })
  const through = items.filter((item) => item.outcome === 'succeeded').map((item) => item.attempt)
  expect(through).toEqual(
    expect.arrayContaining([
      `read ${process.execPath}`,
      'see processes of the host',
      'have a route to 169.254.169.254 or anywhere else',
      'reach a loopback port of the service',
      'run without a seccomp filter',
      'gain privileges',
      'io_uring_setup',
    ]),
  )
  await open.close()
})

it('S16: no sandbox is a failed self-test, not an empty one', async () => {
  const broken = await createSandbox(TEST_LIMITS, { logger: createCollectingLogger(), path: '/nonexistent' })
  expect(await selfTest(broken)).toMatchObject([{ ok: false, detail: expect.stringContaining('bubblewrap') }])
})
