import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { findElectron, hasDisplay } from './scripts/electron-binary.mjs'
import { chromiumFlags, findChromium } from './scripts/find-chromium.mjs'
import { quicken } from './scripts/test-surroundings.mjs'
// Before the workers start: they inherit the folder into which it is installed.
import './test/builders/built-program.ts'
import { STILL } from './test/e2e/app-environment.ts'

quicken()
// Found once; the workers and the Electron stand-in inherit it.
const chromium = findChromium()
if (chromium !== undefined) process.env.LCM_CHROMIUM = chromium

const isOlder = process.env.LCM_ELECTRON !== undefined
const hasElectron = findElectron() !== undefined && hasDisplay()
/** The same specs run through both doors; `test/e2e/app.ts` hides the difference. */
export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.e2e.ts',
  // Node itself runs TypeScript. To translate every file that a test imports took 12 s of the processor in each run.
  build: { external: ['**/*.ts'] },
  globalSetup: './test/builders/built-program.ts',
  outputDir: 'test-results/e2e',
  reporter: 'list',
  // Each test goes to the next free worker, so that no worker is left with a long file at the end.
  fullyParallel: true,
  // Tests wait for programs and timers, so one more than there are cores finish sooner.
  workers: Math.max(2, availableParallelism() + 1),
  // What passes only then is named at the end (`scripts/test-counts.mjs`).
  retries: 1,
  // Limits for a machine that is busy with everything else; on a quiet one nothing takes a tenth of it.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  use: {
    launchOptions: { ...(chromium !== undefined && { executablePath: chromium }), args: [...chromiumFlags, STILL] },
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
  },
  projects: [
    { name: 'browser', grepInvert: /@desktop|@older/ },
    // Which tests run on the stand-in for Electron, and under an older one: `test/e2e/app.ts`.
    isOlder
      ? { name: 'desktop', grep: /@shell|@desktop|@older/, grepInvert: /@browser/ }
      : { name: 'desktop', grepInvert: /@browser|@older/, ...(hasElectron ? {} : { grep: /@shell|@desktop/ }) },
  ],
})
