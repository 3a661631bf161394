import { existsSync, mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chromiumFlags } from '../../../src/browser/chromium.ts'
import { claimProfile, sweepProfiles } from '../../../src/browser/profile.ts'

const DAY = 86_400_000
const now = Date.now()
const age = { now, keepMs: DAY }

/** A session's private folder whose browser left a cookie in conversation 0. */
function used(): { privateDir: string; cookie: string } {
  const privateDir = join(mkdtempSync(join(tmpdir(), 'yizhan-profile-')), 's1')
  mkdirSync(privateDir)
  const cookie = join(claimProfile(privateDir, 0, age), 'cookie')
  writeFileSync(cookie, 'visited=yes')
  return { privateDir, cookie }
}

const grow = (folder: string, ms: number): void =>
  utimesSync(join(folder, 'epoch'), (now - ms) / 1_000, (now - ms) / 1_000)

describe('profiles', () => {
  it('stay for the conversation, and are wiped with it', () => {
    const { privateDir, cookie } = used()
    claimProfile(privateDir, 0, age)
    expect(existsSync(cookie)).toBe(true)
    claimProfile(privateDir, 1, age)
    expect(existsSync(cookie)).toBe(false)
  })

  it('are wiped by age, at the next use and by the sweep', () => {
    const first = used()
    grow(join(first.privateDir, 'browser'), DAY + 1_000)
    claimProfile(first.privateDir, 0, age)
    expect(existsSync(first.cookie)).toBe(false)

    const second = used()
    const root = join(second.privateDir, '..')
    const folder = join(second.privateDir, 'browser')
    expect(sweepProfiles(root, age, () => false)).toBe(0)
    grow(folder, DAY + 1_000)
    expect(sweepProfiles(root, age, (one) => one === folder)).toBe(0)
    expect(sweepProfiles(root, age, () => false)).toBe(1)
    expect(existsSync(folder)).toBe(false)
  })
})

describe('flags', () => {
  it('N7/M14: a pipe, the proxy for loopback too, no names resolved, and the sandbox stays on', () => {
    const flags = chromiumFlags(4_711)
    expect(flags).toEqual(
      expect.arrayContaining([
        '--remote-debugging-pipe',
        '--proxy-server=http://127.0.0.1:4711',
        '--proxy-bypass-list=<-loopback>',
        '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
      ]),
    )
    expect(flags.filter((flag) => /no-sandbox|debugging-port|disable-web-security/.test(flag))).toEqual([])
  })
})
