import { describe, expect, it } from 'vitest'
import { createNameMemory, stripMention, stripSoleMention } from '../../../adapters/wecom/mention.ts'

describe('stripMention', () => {
  const cases: [name: string, typed: string, bot: string, left: string][] = [
    ['at the start', '@运维助手\u2005部署 staging', '运维助手', '部署 staging'],
    ['in the middle', '请 @运维助手\u2005部署 staging', '运维助手', '请 部署 staging'],
    ['at the end', '允许 @mybot', 'mybot', '允许'],
    ['full-width', '＠运维助手 部署 staging', '运维助手', '部署 staging'],
    ['a name with a space', '@Claude Code /list', 'Claude Code', '/list'],
    ['in other letters', '@MyBot hi', 'mybot', 'hi'],
    ['a name with pattern characters', '@a.b+c (hi)', 'a.b+c', '(hi)'],
    ['twice', '@bot hi @bot', 'bot', 'hi'],
    ['before a comma', '@bot，你好', 'bot', '，你好'],
    ['keeping a link', '@bot https://a.example/@bot/x', 'bot', 'https://a.example/@bot/x'],
    ['beside another name', '@张三 @bot 看一下', 'bot', '@张三 看一下'],
  ]
  for (const [name, typed, bot, left] of cases) {
    it(`wecom 7: ${name}`, () => {
      expect(stripMention(typed, [bot])).toEqual({ text: left, found: true })
    })
  }

  it('wecom 7: leaves addresses, links and longer names alone', () => {
    for (const text of ['mail x@bot.example', 'see https://h/@bot', '@botany hi', '@运维助手二号 hi']) {
      expect(stripMention(text, ['bot', '运维助手'])).toEqual({ text, found: false })
    }
  })
})

describe('without a configured name', () => {
  it('takes the only mention of a group message for ours', () => {
    expect(stripSoleMention('@运维助手 部署，结果发 x@y.example')).toEqual({
      text: '部署，结果发 x@y.example',
      found: true,
    })
  })

  it('does not guess between two', () => {
    expect(stripSoleMention('@a @b hi')).toEqual({ text: '@a @b hi', found: false })
  })

  it('learns the name from the mark that the client puts behind it', () => {
    const names = createNameMemory(undefined)

    names.observe('@Claude Code\u2005/list')

    expect(names.known()).toEqual(['Claude Code'])
  })

  it('learns the name from what two messages have in common', () => {
    const names = createNameMemory(undefined)

    names.observe('@Claude Code /list')
    names.observe('@Claude Code 部署')

    expect(names.known()).toEqual(['Claude Code'])
  })

  it('never replaces a configured name', () => {
    const names = createNameMemory('运维助手')

    names.observe('@别人\u2005看')

    expect(names.known()).toEqual(['运维助手'])
  })
})
