import { describe, expect, it } from 'vitest'
import { toolResult } from '../../../../src/mcp/client/result.ts'

const png = 'iVBORw0KGgo='

describe('an answer of a server for the model', () => {
  it('joins text, shows pictures, names what it cannot show', () => {
    const result = toolResult({
      content: [
        { type: 'text', text: '一' },
        { type: 'image', mimeType: 'image/png', data: png },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: '内容' } },
        { type: 'resource_link', uri: 'https://example.com', name: 'link' },
      ],
    })
    expect(result).toEqual({
      ok: true,
      text: '一\n(audio, audio/wav, 4 characters of base64, left out)\nfile:///a.txt\n内容\nlink: https://example.com',
      images: [{ mime: 'image/png', base64: png }],
    })
  })

  it('structured content stands for text when there is none', () => {
    expect(toolResult({ content: [], structuredContent: { sum: 3 } })).toEqual({
      ok: true,
      text: '{\n  "sum": 3\n}',
      data: { sum: 3 },
    })
  })

  it('M5: a picture bomb, an odd type and broken base64 are left out with a word', () => {
    const image = (mimeType: string, data: string) => ({ type: 'image' as const, mimeType, data })
    const result = toolResult({
      content: [
        image('image/png', 'A'.repeat(6_000_000)),
        image('image/svg+xml', png),
        image('image/png', '<svg>'),
      ],
    })
    expect(result).toMatchObject({ ok: true, text: expect.stringMatching(/^(\(image, .*left out\)\n?){3}$/) })
    expect(result).not.toHaveProperty('images')
  })

  it('M1: an error text is cleaned as well', () => {
    const result = toolResult({
      isError: true,
      content: [{ type: 'text', text: 'no\u200b such\u001b[2J file' }],
    })
    expect(result).toMatchObject({ ok: false, error: { type: 'failed', message: 'no such file' } })
  })
})
