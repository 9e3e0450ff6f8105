import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inProject } from '#scripts/project.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { environment } from '../doors/cli/lcm.ts'
import { desktopKind, openOnDesktop } from '../e2e/desktop-door.ts'

/** Milliseconds from the start of the app to the first paint of its window, the middle of several. */
export type AppStartMeasure = {
  /** The packed app, which is started by itself: Electron, an older one, or its stand-in. */
  readonly packedMs: number
  /** `npm start` when everything is installed and built, until it starts the same. */
  readonly beforeElectronMs: number
  /** What the packed app takes of all that `npm start` takes. */
  readonly share: number
}

const ROUNDS = 5

/** `npm start` opens no window for the superuser. */
const ORDINARY = process.getuid?.() === 0 ? '--import=data:text/javascript,process.getuid=()=>1000' : ''

/** Starts both in turn. Needs a shell with `date` that knows milliseconds. */
export async function measureAppStart(): Promise<AppStartMeasure> {
  const taken = { packed: [] as number[], before: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    taken.before.push(await beforeElectron())
    taken.packed.push(await packed())
  }
  const [packedMs, beforeElectronMs] = [middle(taken.packed), middle(taken.before)]
  return { packedMs, beforeElectronMs, share: packedMs / (packedMs + beforeElectronMs) }
}

/** A program in the place of Electron notes when it is started. */
async function beforeElectron(): Promise<number> {
  const folder = temporaryFolder()
  const noted = join(folder, 'noted')
  writeFileSync(join(folder, 'electron'), `#!/bin/sh\ndate +%s%3N > '${noted}'\n`, { mode: 0o755 })
  const startedAtMs = Date.now()
  const child = spawn('npm', ['start'], {
    cwd: inProject(),
    env: environment({ DISPLAY: ':99', ELECTRON_OVERRIDE_DIST_PATH: folder, NODE_OPTIONS: ORDINARY }),
    stdio: 'ignore',
  })
  await once(child, 'exit')
  return Number(readFileSync(noted, 'utf8')) - startedAtMs
}

async function packed(): Promise<number> {
  const home = temporaryFolder()
  const path = join(home, 'sample.db')
  copyFileSync(inProject('resources/sample.db'), path)
  const request = { path, home, userData: join(home, 'electron'), env: {}, watch: () => undefined }
  const startedAtMs = Date.now()
  const { page, close } = await openOnDesktop(request, desktopKind())
  try {
    const paintedAt = await page.waitForFunction(() => {
      const [paint] = performance.getEntriesByName('first-contentful-paint')
      return paint && performance.timeOrigin + paint.startTime
    })
    return Number(await paintedAt.jsonValue()) - startedAtMs
  } finally {
    await close()
  }
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
