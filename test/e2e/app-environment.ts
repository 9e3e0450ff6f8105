import type { Page } from '@playwright/test'

/** Turns animations off, because specs check where things are and not how they move. */
export const STILL = '--force-prefers-reduced-motion'

/** What a spec asks a door to open. */
export type OpenRequest = {
  /** Absolute; undefined opens the app without a memory. */
  readonly path: string | undefined
  readonly home: string
  /** Electron's own folder; two apps that run at once cannot share one. */
  readonly userData: string
  readonly env: Readonly<Record<string, string>>
  /** Called with every page before it loads anything. */
  readonly watch: (page: Page) => void
}

/** The environment of an app under test: a home of its own, UTC, and none of the developer's own settings. */
export function appEnvironment({ home, env }: Pick<OpenRequest, 'home' | 'env'>): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(LCM_(?!CHROMIUM$)|XDG_|NODE_OPTIONS$|ELECTRON_RUN_AS_NODE$)/.test(entry[0]),
  )
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    USERPROFILE: home,
    APPDATA: home,
    LOCALAPPDATA: home,
    TZ: 'UTC',
    LANG: 'en_US.UTF-8',
    // Only tests of it want a check that nobody asked for.
    LCM_CHECK_ON_OPENING: 'false',
    ...env,
  }
}
