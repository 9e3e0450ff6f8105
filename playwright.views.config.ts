import { defineConfig } from '@playwright/test'
import config from './playwright.config.ts'

// The workers inherit it.
process.env.LCM_VIEWS = 'all'

/** Compares every view, dialog and empty state with its recorded pictures: `npm run views`. With `-- --update-snapshots` they are recorded anew. */
export default defineConfig({ ...config, testMatch: '**/views.e2e.ts', projects: [{ name: 'browser' }] })
