import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requireLocalPath } from '#core/local-path.ts'
import { openWindow, startCores } from '../jobs/core-client.ts'

// Proves that a page cannot make this machine log in to another one (Windows sends the user's name and a hash), nor read
// from a device that never ends.
describe('a path in a call from a page', () => {
  it.each([
    String.raw`\\server\share\lcm.db`,
    '//server/share/lcm.db',
    String.raw`/\server\share`,
    String.raw`\\?\C:\lcm.db`,
    String.raw`\\.\pipe\x`,
    '//./PhysicalDrive0',
    String.raw`\\?\UNC\server\share`,
    String.raw`\??\C:\x`,
    'CON',
    String.raw`C:\x\nul`,
    String.raw`C:\x\com1.db`,
    'C:/x/LPT9.txt/y',
    'aux.jsonl',
    'C:\\x\0.db',
  ])('is refused on Windows: %s', (path) => {
    expect(() => requireLocalPath(path, 'win32')).toThrow('this machine')
  })

  it.each(['/dev/zero', '//dev/tty', '/dev', '/x/../dev/stdin', '/proc/self/environ', '/sys/kernel', '/a\0b'])(
    'is refused elsewhere: %s',
    (path) => {
      expect(() => requireLocalPath(path, 'linux')).toThrow('this machine')
    },
  )

  it('is accepted when it is a plain file', () => {
    for (const path of [String.raw`C:\Users\ada\lcm.db`, 'C:/x/console.db', 'com.db', String.raw`D:\nullable\x`])
      expect(requireLocalPath(path, 'win32')).toBe(path)
    for (const path of ['/home/ada/lcm.db', '/home/dev/x', '/dev/shm/x.db', '//home/ada/x', '/a/con', 'nul'])
      expect(requireLocalPath(path, 'linux')).toBe(path)
  })

  it('is refused by every call that takes a path', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no /dev')
    const cores = startCores()
    const { machine } = openWindow(cores, null).client
    const path = '/dev/zero'
    for (const call of [
      machine.folder({ path }),
      machine.probe({ path }),
      machine.previewImport({ paths: [path] }),
      machine.importNew({ paths: [path] }),
      machine.salvage({ path }),
    ])
      await expect(call).rejects.toMatchObject({ data: { code: 'invalid_argument' } })
    await cores.close()
  })
})

it('the packaged app gives pages from files no extra rights', () => {
  const yaml = readFileSync(join(import.meta.dirname, '../../electron-builder.yml'), 'utf8')
  expect(yaml).toMatch(/^ {2}grantFileProtocolExtraPrivileges: false$/m)
  expect(yaml).toMatch(/^ {2}runAsNode: false$/m)
})
