import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { inProject } from '#scripts/project.mjs'

type SettingsOf = (cwd: string, given: unknown, memoryOfAll?: string) => { readonly path: string }
const address = pathToFileURL(inProject('resources/adapters/pi/settings.js')).href
const { settingsOf } = (await import(address)) as { settingsOf: SettingsOf }

afterEach(() => {
  vi.unstubAllEnvs()
})

it('takes the folder of the memories from the settings of Pi when the variable for it is empty', () => {
  vi.stubEnv('LCM_DB_DIR', '')
  expect(settingsOf('/work', { lcm: { dbDir: '/memories' } }).path).toMatch(/[\\/]memories[\\/]lcm-[0-9a-f]{16}\.db$/)
  vi.stubEnv('LCM_DB_DIR', join('/', 'elsewhere'))
  expect(settingsOf('/work', { lcm: { dbDir: '/memories' } }).path).toContain('elsewhere')
})

it("keeps the memories in Pi's own folder when the variable for that is empty, never in the working directory", () => {
  vi.stubEnv('LCM_DB_DIR', '')
  vi.stubEnv('PI_CODING_AGENT_DIR', '')
  vi.stubEnv('HOME', join('/', 'home', 'somebody'))
  expect(settingsOf('/work', {}).path).toContain(join('.pi', 'agent', 'lcm'))
})

it('takes the memory with which Pi was connected where no folder is named for those of each project', () => {
  vi.stubEnv('LCM_DB_DIR', '')
  expect(settingsOf('/work', {}, '/memories/all.db').path).toBe('/memories/all.db')
  expect(settingsOf('/work', { lcm: { dbDir: '/memories' } }, '/memories/all.db').path).toMatch(/lcm-[0-9a-f]{16}\.db$/)
})
