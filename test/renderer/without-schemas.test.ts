import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** What reads a form or an error with schemas, and what shows it: all of it is loaded when it is first shown. */
const WITH_SCHEMAS = [
  'renderer/features/compare/not-compared.tsx',
  'renderer/features/probe/given-questions.ts',
  'renderer/features/settings/provider-form.ts',
  'renderer/frame/follow-dialog.tsx',
]
const SHOWING = ['renderer/features/probe/questions-dialog.tsx', 'renderer/features/settings/provider-dialog.tsx']

/** What a file imports as it is loaded, without types. */
const importsOf = (path: string): string[] =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^import (?!type )[^'"]*?'([^']+)'/gms)].map(
    ([, from = '']) => from,
  )

const isWithSchemas = (from: string): boolean =>
  from === 'zod' || (from.startsWith('#core/') && importsOf(from.replace('#core', 'core')).includes('zod'))

it('no view loads schemas, which take a long task to start, before something is shown that needs them', () => {
  const files = globSync('renderer/**/*.{ts,tsx}', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'))
  const loading = files.filter((path) => importsOf(path).some(isWithSchemas))
  expect(loading.sort()).toEqual(WITH_SCHEMAS)
  const late = new Set([...WITH_SCHEMAS, ...SHOWING].map((path) => `./${path.split('/').at(-1)}`))
  const showing = files.filter((path) => importsOf(path).some((from) => late.has(from)))
  expect(showing.sort()).toEqual(SHOWING)
})
