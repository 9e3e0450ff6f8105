import { defineConfig } from '@playwright/test'
import config from './playwright.config.ts'

/** Compares every view with its recorded picture: `npm run views`. With `-- --update-snapshots` they are recorded anew. */
export default defineConfig({ ...config, testMatch: '**/*.views.ts', projects: [{ name: 'browser' }] })
