import type { Page } from '@playwright/test'

/** Reports uncaught exceptions and console errors of a page; refusals by the content security policy are such. */
export function watchForErrors(page: Page, report: (error: string) => void): void {
  page.on('pageerror', (error) => report(`uncaught: ${error.stack ?? error.message}`))
  page.on('crash', () => report('the page crashed'))
  page.on('console', (message) => {
    if (message.type() === 'error') report(`console: ${message.text()} (${message.location().url})`)
  })
}
