// The door to the app for end-to-end specs. A spec never knows which door it came through:
//
//   import { expect, test } from './app.ts'
//   test('shows the strata', async ({ openMemory }) => {
//     const page = await openMemory(file)
//   })
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, test as base, type ElectronApplication, expect, type Page } from '@playwright/test'
import { openInBrowser, type RunningHost, startHost } from './browser-door.ts'
import { desktopKind, openOnDesktop } from './desktop-door.ts'
import { sampleCopy } from './memories.ts'
import { watchForErrors } from './page-errors.ts'

export { expect } from '@playwright/test'

/** What surrounds the page: the browser host, real Electron, an older one (test/electron/older), or its stand-in. */
export type HostKind = 'browser' | 'electron' | 'older' | 'standin'

/** A test of what only the browser has, or of a page that is the same behind both doors: it is not run on the desktop. */
export const IN_BROWSER = { tag: '@browser' } as const
/**
 * A test in which the page asks its surroundings for something: events, dialogs, keys, colours, addresses. On the stand-in
 * for Electron, whose page is the browser's, these and those of the desktop alone are run; real Electron runs every test.
 */
export const THROUGH_SHELL = { tag: '@shell' } as const
/** A test of what only the desktop app has: it is not run in the browser. */
export const ON_DESKTOP = { tag: '@desktop' } as const

/** A test of what needs a second real process, or a core that can be killed: run under an older Electron only. */
export const UNDER_OLDER = { tag: '@older' } as const

/**
 * For `test.use`: the tests of a file share a browser host, each with a browser context of its own. For tests that change
 * nothing but their own memory files: settings, recent files and logs are shared, with a home that is not the test's.
 */
export const SHARED_HOST = { sharesHost: true } as const

/** An opened app, and how to end it. */
export type OpenedApp = {
  readonly page: Page
  readonly electronApp?: ElectronApplication
  readonly isRunning: () => boolean
  readonly close: () => Promise<void>
}

type Fixtures = {
  /** Opens the app on a memory file, or on nothing, and answers with its page. Closed by itself after the test. */
  readonly openMemory: (path?: string) => Promise<Page>
  /** Opens a copy of the sample memory in the home folder, and answers when it is shown. */
  readonly openSample: () => Promise<Page>
  /** The Electron application that was opened last; undefined in the browser. */
  readonly electronApp: () => ElectronApplication | undefined
  readonly hostKind: HostKind
  /** A home folder of this test alone: settings, recent files and caches go there. */
  readonly home: string
  /** Environment variables for the app, `LCM_…` say: `test.use({ appEnv: { LCM_TOKEN_BUDGET: '5000' } })`. */
  readonly appEnv: Readonly<Record<string, string>>
  readonly sharesHost: boolean
  /** Console errors and exceptions that a spec provokes on purpose; any other fails the test. */
  readonly allowedPageErrors: readonly RegExp[]
}

type Opened = { readonly apps: OpenedApp[]; readonly errors: string[] }

type OfWorker = { readonly chromium: () => Promise<Browser>; readonly sharedHost: () => Promise<RunningHost> }

/** Opens the drawing of a conversation from whichever view is shown. */
export const toStrata = (page: Page): Promise<void> =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Layers', exact: true }).click()

/** Opens all summaries line by line, with their texts. */
export async function toTree(page: Page): Promise<void> {
  await toStrata(page)
  await page.getByRole('radiogroup', { name: 'How the layers are shown' }).getByText('tree').click()
}

/** Chooses from the menu of everything else of the file: a view, or what can be done with it. */
export async function fromMemoryMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Memory/ }).click()
  await page.getByRole('menu').locator('button').filter({ hasText: name }).click()
}

/** Opens a view of the program, behind the gear. */
export async function toProgram(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('navigation', { name: 'Program' }).getByRole('link', { name }).click()
}

export const test = base.extend<Fixtures & { readonly opened: Opened }, OfWorker>({
  allowedPageErrors: [[], { option: true }],
  appEnv: [{}, { option: true }],
  sharesHost: [false, { option: true }],

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
  hostKind: async ({}, use, testInfo) => {
    await use(testInfo.project.name === 'browser' ? 'browser' : desktopKind())
  },

  // biome-ignore lint/correctness/noEmptyPattern: as above
  home: async ({}, use) => {
    const home = await mkdtemp(join(tmpdir(), 'lcm-e2e-'))
    await use(home)
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  },

  // `home` is named so that it outlives the apps.
  opened: async ({ home: _home, allowedPageErrors }, use) => {
    const opened: Opened = { apps: [], errors: [] }
    await use(opened)
    for (const app of opened.apps) await app.close()
    const unexpected = opened.errors.filter((error) => !allowedPageErrors.some((pattern) => pattern.test(error)))
    if (unexpected.length > 0) throw new Error(`The page reported errors:\n${unexpected.join('\n')}`)
  },

  // Unlike Playwright's own `browser`, started only where a spec comes through the browser.
  chromium: [
    async ({ playwright }, use) => {
      let browser: Promise<Browser> | undefined
      await use(() => {
        browser ??= playwright.chromium.launch()
        return browser
      })
      await (await browser)?.close()
    },
    { scope: 'worker' },
  ],

  sharedHost: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      const home = await mkdtemp(join(tmpdir(), 'lcm-e2e-'))
      let host: Promise<RunningHost> | undefined
      await use(() => {
        host ??= startHost({ path: undefined, home, env: {} })
        return host
      })
      await (await host)?.stop()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
    { scope: 'worker' },
  ],

  openMemory: async ({ opened, hostKind, home, appEnv, sharesHost, sharedHost, chromium }, use) => {
    await use(async (path) => {
      const watch = (page: Page) => watchForErrors(page, (error) => opened.errors.push(error))
      const running = opened.apps.filter((app) => app.isRunning()).length
      const request = { path, home, env: appEnv, watch, userData: join(home, `electron-${running + 1}`) }
      const isShared = sharesHost && Object.keys(appEnv).length === 0
      const app =
        hostKind === 'browser'
          ? await openInBrowser(
              request,
              await (await chromium()).newContext(),
              isShared ? await sharedHost() : undefined,
            )
          : await openOnDesktop(request, hostKind)
      opened.apps.push(app)
      return app.page
    })
  },

  openSample: async ({ openMemory, home }, use) => {
    await use(async () => {
      const page = await openMemory(sampleCopy(home))
      await expect(page.getByRole('contentinfo')).toContainText('LCM:')
      return page
    })
  },

  electronApp: async ({ opened }, use) => {
    await use(() => opened.apps.at(-1)?.electronApp)
  },
})
