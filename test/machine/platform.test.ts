import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  browserOpener,
  canShowWindows,
  electronProgram,
  hasPosixLocks,
  hasProcessGroups,
  hasScreen,
  isMac,
  keepsSecrets,
  registersLinks,
  shellWord,
  syncFolder,
  tellerOfStarts,
} from '#core/platform.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const facts = (platform: NodeJS.Platform) => ({
  locks: hasPosixLocks(platform),
  groups: hasProcessGroups(platform),
  starts: tellerOfStarts(platform),
  browser: browserOpener(platform),
  electron: electronProgram(platform),
  mac: isMac(platform),
  links: registersLinks(platform),
})

it.each([
  [
    'linux',
    { locks: true, groups: true, starts: 'proc', browser: 'xdg-open', electron: 'electron', mac: false, links: false },
  ],
  [
    'win32',
    {
      locks: false,
      groups: false,
      starts: null,
      browser: 'explorer.exe',
      electron: 'electron.exe',
      mac: false,
      links: true,
    },
  ],
  [
    'darwin',
    {
      ...{ locks: true, groups: true, starts: 'ps', browser: 'open', mac: true, links: false },
      electron: 'Electron.app/Contents/MacOS/Electron',
    },
  ],
] as const)('what differs between systems is known of %s', (platform, known) => {
  expect(facts(platform)).toEqual(known)
})

it('Linux shows windows where one of two variables names a screen, and not to root', () => {
  const screen = { DISPLAY: ':0' }
  expect(hasScreen({}, 'linux')).toBe(false)
  expect([screen, { WAYLAND_DISPLAY: 'wayland-0' }].map((env) => hasScreen(env, 'linux'))).toEqual([true, true])
  expect(canShowWindows(screen, 1000, 'linux')).toBe(true)
  expect(canShowWindows(screen, 0, 'linux')).toBe(false)
  expect(canShowWindows({}, 1000, 'linux')).toBe(false)
  for (const platform of ['darwin', 'win32'] as const) expect(canShowWindows({}, undefined, platform)).toBe(true)
})

it('a store of passwords keeps a secret unless it is the one of Linux that everybody can read', () => {
  const asked: string[] = []
  const backend = (name: string) => () => {
    asked.push(name)
    return name
  }
  expect(keepsSecrets(backend('basic_text'), 'linux')).toBe(false)
  expect(keepsSecrets(backend('gnome_libsecret'), 'linux')).toBe(true)
  expect(keepsSecrets(backend('basic_text'), 'darwin')).toBe(true)
  expect(asked).toEqual(['basic_text', 'gnome_libsecret'])
})

describe('the name of a new file', () => {
  it('is synced with its folder, where that can be opened, and not on Windows', () => {
    const folder = join(temporaryFolder(), 'new')
    expect(() => syncFolder(folder, 'linux')).toThrow('ENOENT')
    expect(() => syncFolder(folder, 'win32')).not.toThrow()
    mkdirSync(folder)
    expect(() => syncFolder(folder, 'linux')).not.toThrow()
  })
})

describe('a word of a command line', () => {
  it('stays as it is when it has no character that a shell reads', () => {
    for (const platform of ['linux', 'win32'] as const)
      expect(shellWord('C:\\a/b-c_d.e', platform)).toBe('C:\\a/b-c_d.e')
  })

  it('is read as it was by the programs of Windows', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ a"\\]*$/), (word) => {
        expect(readOnWindows(`program ${shellWord(word, 'win32')} end`)).toEqual(['program', word, 'end'])
      }),
    )
  })

  it('is read as it was by a POSIX shell', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ a'"$\\;]+$/), (word) => {
        const inner = shellWord(word, 'linux').split("'\\''").join('\0')
        expect(inner.replace(/^'|'$/g, '').replaceAll('\0', "'")).toBe(word)
      }),
    )
  })
})

/**
 * Splits a command line as programs of Windows do: backslashes count only before a quote.
 * https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
function readOnWindows(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let isQuoted = false
  for (let at = 0; at < line.length; at += 1) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    if (slashes > 0) {
      const isBeforeQuote = line[at + slashes] === '"'
      word = (word ?? '') + '\\'.repeat(isBeforeQuote ? Math.floor(slashes / 2) : slashes)
      at += slashes - 1
      if (isBeforeQuote && slashes % 2 === 1) {
        word += '"'
        at += 1
      }
    } else if (line[at] === '"') {
      isQuoted = !isQuoted
      word ??= ''
    } else if (line[at] === ' ' && !isQuoted) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + line[at]
  }
  return word === null ? words : [...words, word]
}
