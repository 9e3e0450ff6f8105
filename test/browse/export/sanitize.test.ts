import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asHash, sanitizeValue, withoutSecrets } from '#core/sanitize.ts'
import { processorClock } from '#test/builders/busy-machine.ts'

describe('a sanitized text', () => {
  it.each([
    ['a key of a model provider', `use sk-${'a1B2'.repeat(8)}`, 'use [key]'],
    ['a token of a forge', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[key]'],
    ['a key of a cloud', 'AKIAIOSFODNN7EXAMPLE', '[key]'],
    ['a signed token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdefghijk', '[token]'],
    ['a header', 'Authorization: Bearer abcdefghijklmnop.qrstuvwxyz', 'Authorization: Bearer [token]'],
    ['a setting', 'DB_PASSWORD=correct-horse', 'DB_PASSWORD=[secret]'],
    ['a setting in JSON', '{"api_key": "0123456789abcdef"}', '{"api_key": "[secret]"}'],
    ['who logs in', 'postgres://admin:hunter22@db/app', 'postgres://[credentials]@db/app'],
    ['an address', 'write to Ada.Lovelace+lcm@example.co.uk.', 'write to [e-mail].'],
    ['a home', 'in /home/ada/project/a.ts:12', 'in [path]:12'],
    ['a home by its sign', 'in ~/.openclaw/lcm.db', 'in [path]'],
    ['a home of Windows', String.raw`C:\Users\ada\x.txt`, '[path]'],
    ['a home of Windows in JSON', String.raw`"C:\\Users\\ada\\x.txt"`, '"[path]"'],
    ['a file by its address', 'file:///Users/ada/x', '[path]'],
    ['a file by its short address', 'see file:/home/ada/x.', 'see [path]'],
    ['a file by its address with a host', 'file://localhost/home/ada/x', '[path]'],
    ['a file of Windows by its address', 'file:///C:/Users/ada/x and file:C:\\ada', '[path] and [path]'],
    ['a file by an encoded address', 'file:%2Fhome%2Fada file%3A%2F%2F%2Fhome%2Fada%2Fx', '[path] [path]'],
    ['an encoded path', 'cwd=%2Fhome%2Fada%2Fx', 'cwd=[path]'],
    ['a database by its address', 'sqlite:////home/ada/lcm.db', '[path]'],
    ['an editor link', 'vscode://file/home/ada/x.ts', '[path]'],
    ['a home of Windows with slashes', 'D:/Users/ada/x', '[path]'],
    ['a share of Windows', String.raw`\\server\share\ada and \\server\share`, '[path] and [path]'],
    ['a share in JSON', String.raw`"\\\\server\\share\\ada"`, '"[path]"'],
    ['a share with slashes', 'at //server/share/ada', 'at [path]'],
    ['a long path of Windows', String.raw`\\?\C:\Users\ada`, '[path]'],
    ['a home by a variable', String.raw`$HOME/ada %USERPROFILE%\ada ~\ada ~ada/x`, '[path] [path] [path] [path]'],
    ['a quoted path with spaces', '"/Users/ada/My Files/x y.txt"', '"[path]"'],
    ['a path in a list of paths', 'PATH=/usr/bin:/home/ada/bin', 'PATH=[path]:[path]'],
    ['a path of a flag', 'cc -I/home/ada/include', 'cc -I[path]'],
    ['a path on another machine', 'scp host:/home/ada/x .', 'scp host:[path] .'],
    [
      'a path at the beginning of a line in JSON',
      String.raw`"a\n/home/ada/x\tC:\\new\\ada"`,
      String.raw`"a\n[path]\t[path]"`,
    ],
    ['a folder named after a home', 'in -home-ada-project', 'in [path]'],
  ])('contains no %s', (_what, text, clean) => {
    expect(withoutSecrets(text)).toBe(clean)
  })

  it.each([
    'read https://example.com/docs/page, then run a/b or 3/4',
    'the token: it was lost',
    'import { x } from "./core/lcm.ts"',
    'sum_0123456789abcdef and file_0123456789abcdef',
    'see https://example.com/home/ada, // a comment, and/or /help',
    'a ratio of 3:4, 10:30, key: value, <b>bold</b></p> and C: alone',
    String.raw`a\nb, \d+\w and "\n"`,
  ])('keeps other text: %s', (text) => {
    expect(withoutSecrets(text)).toBe(text)
  })

  it('loses a private key completely, also when it is cut off', () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIB\n'.repeat(20)}`
    expect(withoutSecrets(`${key}-----END RSA PRIVATE KEY-----!`)).toBe('[private key]!')
    expect(withoutSecrets(key)).not.toContain('MIIB')
  })

  it('does not change when it is sanitized again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const once = withoutSecrets(text)
        expect(withoutSecrets(once)).toBe(once)
      }),
    )
  })

  it('is ready in time for long and hostile text', () => {
    const usedMs = processorClock()
    for (const piece of ['a', '/a', 'a@', 'a.', '-----BEGIN ', 'token=', 'eyJ', '~/', 'http://a:', '\\\\a']) {
      withoutSecrets(piece.repeat(50_000 / piece.length))
    }
    expect(usedMs()).toBeLessThan(10_000)
  })
})

describe('a text replaced by its hash', () => {
  it('names its length and nothing else', () => {
    expect(asHash('secret')).toMatch(/^\[6 characters, sha256 [0-9a-f]{16}\]$/)
    expect(asHash('')).toBe('')
  })
})

it('a sanitized structure contains no secret in any value or field name', () => {
  expect(sanitizeValue({ '/a/b': ['/a/b', 1, { x: '/a/b' }, null] }, withoutSecrets)).toEqual({
    '[path]': ['[path]', 1, { x: '[path]' }, null],
  })
})

it('a sanitized export hides a session that is named after a path, and keeps two such sessions apart', () => {
  const names = [
    '/home/ada/my notes.json',
    '/home/bob/my notes.json',
    'C:\\ada files\\x',
    'file:/ada',
    '/ada.json',
    '~/a b',
  ]
  const clean = names.map((session_id) => sanitizeValue({ session_id }, withoutSecrets) as { session_id: string })
  for (const { session_id } of clean) expect(session_id).toMatch(/^\[path [0-9a-f]{8}\]$/)
  expect(new Set(clean.map(({ session_id }) => session_id)).size).toBe(names.length)
  expect(sanitizeValue(clean, withoutSecrets)).toEqual(clean)
  expect(sanitizeValue({ session_id: 'ses_1' }, withoutSecrets)).toEqual({ session_id: 'ses_1' })
})
