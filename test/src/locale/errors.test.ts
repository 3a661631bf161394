import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { hasText } from '../../../src/locale/index.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Codes without words of their own, and why nobody who uses or runs the service reads them. */
const UNSEEN: Readonly<Record<string, RegExp>> = {
  'told by words of their own: mcp.why.*, video.reason.*, run.*, outbox.undelivered.*':
    /^(mcp|video|run|outbox)\./,
  'read by the model, which is spoken to in English': /^(tool|workbench)\./,
  'told to the page or the platform that sent a wrong request':
    /^(playground|http)\.|^wecom\.(bad|callback)_/,
  'steps of the service among themselves': /^(worker|session\.lease_lost|wecom\.not_started)/,
  'found by the form of the configuration or by a check of its own before':
    /^(wecom\.config|schedule\.calendar_file)$/,
}

function codes(): string[] {
  const files = globSync(['src/**/*.ts', 'adapters/**/*.ts'], { cwd: root })
  const source = files
    .filter((name) => !/\/(simulator|locale|dist|pages)\//.test(name))
    .map((name) => readFileSync(resolve(root, name), 'utf8'))
    .join('\n')
  const found = [...source.matchAll(/new AppError\(\s*['`]([a-z_]+\.[^'`]+)['`]/g)].map(
    (match) => match[1] ?? '',
  )
  return [...new Set(found)].sort()
}

it('every error that people can see has words in both languages; of every other it is known why not', () => {
  const all = codes()
  expect(all.length).toBeGreaterThan(100)
  const silent = all.filter((code) => !hasText('zh-CN', `error.${code}`) || !hasText('en', `error.${code}`))
  const excuses = Object.values(UNSEEN)
  expect(silent.filter((code) => !excuses.some((excuse) => excuse.test(code)))).toEqual([])
  expect(excuses.filter((excuse) => !silent.some((code) => excuse.test(code)))).toEqual([])
})
