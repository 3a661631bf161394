import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../../src/gateway/command-line.ts'

describe('parseCommand', () => {
  it.each([
    ['/stop', 'stop', []],
    ['／停止', 'stop', []],
    [' /STOP ', 'stop', []],
    ['停止', 'stop', []],
    ['Help', 'help', []],
    ['/?', 'help', []],
    ['/model  small\n fast', 'model', ['small', 'fast']],
    ['/新会话', 'new', []],
    ['/tasks run t1 第一行', 'tasks', ['run', 't1', '第一行']],
  ])('%j is %s %j', (text, name, args) => {
    expect(parseCommand(text)).toMatchObject({ name, args })
  })

  it('names the word of an unknown command', () => {
    expect(parseCommand('/stopp now')).toEqual({ name: undefined, word: 'stopp', args: ['now'] })
  })

  it.each([
    ['a path', '/etc/hosts'],
    ['a path with a full-width slash', '／etc／hosts'],
    ['a slash alone', '/'],
    ['a slash and a blank', '/ stop'],
    ['a word within a sentence', '请停止服务'],
    ['a bare word with more behind it', 'stop nginx'],
    ['nothing', ''],
  ])('%s is no command', (_, text) => {
    expect(parseCommand(text)).toBeUndefined()
  })
})
