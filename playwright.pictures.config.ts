import { defineConfig } from '@playwright/test'
import config from './playwright.config.ts'

/** Takes the pictures of the README again, through the browser: `npm run screenshots`. */
export default defineConfig({
  ...config,
  fullyParallel: false,
  testMatch: '**/*.picture.ts',
  projects: [{ name: 'browser' }],
})
