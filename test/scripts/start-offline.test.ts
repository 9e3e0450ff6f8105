import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { ended, environment } from '../doors/cli/lcm.ts'

const root = join(import.meta.dirname, '../..')
/** Nothing listens here. */
const NOWHERE = 'http://127.0.0.1:9/'
/** Makes the process believe that it is not root, under whom Electron is not even looked for. */
const ORDINARY = ['--import', 'data:text/javascript,process.getuid=()=>1000']

const start = (folder: string, env: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [...ORDINARY, join(folder, 'scripts/start.mjs')], {
    cwd: folder,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

it('npm start serves the page and says why it opens no window when Electron cannot be fetched', async () => {
  const failure = join(root, '.cache/electron-download.json')
  rmSync(failure, { force: true })
  const empty = temporaryFolder()
  const program = start(root, {
    DISPLAY: ':99',
    ELECTRON_MIRROR: NOWHERE,
    ELECTRON_OVERRIDE_DIST_PATH: empty,
    electron_config_cache: empty,
  })
  const ran = ended(program)
  for await (const line of createInterface({ input: program.stdout ?? process.stdin })) {
    const [address] = /http:\S+/.exec(line) ?? []
    if (address === undefined) continue
    expect((await fetch(address)).status).toBe(200)
    break
  }
  program.kill('SIGTERM')
  await once(program, 'close')
  rmSync(failure, { force: true })
  expect((await ran).stderr).toMatch(
    /fetching Electron, once…\n.*opening in the browser instead of a window: Electron could not be fetched from github\.com \(when there is a network, "npm run fetch:electron" tries again\)\.\n$/,
  )
})

it('npm start says in a fresh checkout without a network what it could not install and what to do', async () => {
  const checkout = temporaryFolder()
  cpSync(join(root, 'scripts'), join(checkout, 'scripts'), { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(root, name), join(checkout, name))
  const ran = await ended(
    start(checkout, {
      npm_config_registry: NOWHERE,
      npm_config_cache: temporaryFolder(),
      npm_config_fetch_retries: '0',
    }),
  )
  expect(ran.code).toBe(1)
  expect(ran.stderr).toMatch(
    /installing what is missing.*\n(?:.*\n)*.*npm ci failed, its reason is above\. Check the network .*run the same command again\.\n$/,
  )
})
