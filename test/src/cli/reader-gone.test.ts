import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { endWithReader } from '../../../src/cli/reader-gone.ts'

function terminal() {
  const stdout = new PassThrough() as unknown as NodeJS.Process['stdout']
  const exit = vi.fn() as unknown as NodeJS.Process['exit']
  endWithReader({ stdout, exit })
  return { stdout, exit }
}

describe('a reader that goes away', () => {
  it('ends the command quietly', () => {
    const { stdout, exit } = terminal()
    stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    expect(exit).toHaveBeenCalledWith()
  })

  it('is not any other trouble of the terminal', () => {
    const { stdout, exit } = terminal()
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    expect(() => stdout.emit('error', full)).toThrow('no space left')
    expect(exit).not.toHaveBeenCalled()
  })
})
