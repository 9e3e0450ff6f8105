import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileFromArguments } from '#electron/main/arguments.ts'

const folder = resolve('/home/me/work')

describe('the file on the command line of the desktop app', () => {
  it('is the first argument after the executable in a packaged app', () => {
    expect(fileFromArguments(['/opt/LCM Inspector', 'lcm.db'], folder, true)).toBe(resolve(folder, 'lcm.db'))
    expect(fileFromArguments(['/opt/LCM Inspector', '/data/lcm.db', 'other.db'], folder, true)).toBe(
      resolve('/data/lcm.db'),
    )
  })

  it('is the argument after the folder of the app in development', () => {
    expect(fileFromArguments(['electron', '/src/app', 'lcm.db'], folder, false)).toBe(resolve(folder, 'lcm.db'))
    expect(fileFromArguments(['electron', '/src/app'], folder, false)).toBeNull()
  })

  it('is missing when only switches or a link were given', () => {
    const switches = ['--inspect=0', '--remote-debugging-port=0', '--user-data-dir=/tmp/x', '-psn_0_1234']
    expect(fileFromArguments(['/opt/app', ...switches], folder, true)).toBeNull()
    expect(fileFromArguments(['/opt/app', 'lcm-inspector://open?file=/etc/passwd'], folder, true)).toBeNull()
    expect(fileFromArguments(['/opt/app'], folder, true)).toBeNull()
    expect(fileFromArguments([], folder, true)).toBeNull()
  })

  it('is found among the switches that Chromium adds for a second start', () => {
    const argv = ['/opt/app', '--allow-file-access-from-files', '--original-process-start-time=1', 'a file.db']
    expect(fileFromArguments(argv, folder, true)).toBe(resolve(folder, 'a file.db'))
  })

  it('is resolved from the folder of the second start, not of the first', () => {
    expect(fileFromArguments(['/opt/app', '../lcm.db'], folder, true)).toBe(resolve('/home/me/lcm.db'))
  })
})
