import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { findUnused } from '#scripts/lint-tools.mjs'
import { inProject } from '#scripts/project.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** A project of these files under the settings of this one. */
function project(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  const manifest = { name: 'planted', type: 'module', devDependencies: { zod: '1.0.0', ulid: '1.0.0' } }
  for (const [path, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  copyFileSync(inProject('knip.jsonc'), join(folder, 'knip.jsonc'))
  symlinkSync(inProject('node_modules'), join(folder, 'node_modules'), 'junction')
  return folder
}

/** What the lint step says of a folder; it ends with 1 when it finds something. */
async function unusedIn(folder: string): Promise<string> {
  const args = findUnused(folder).filter((argument) => !argument.startsWith('--treat-config-hints'))
  return promisify(execFile)(process.execPath, args).then(
    ({ stdout }) => stdout,
    (failed: { code: number; stdout: string }) => {
      expect(failed.code).toBe(1)
      return failed.stdout
    },
  )
}

describe('the search for unused code', () => {
  it('reports a file, an export, a type and a dependency that are not used, and nothing that is', async () => {
    const folder = project({
      'core/doors/cli.ts': `import { ulid } from 'ulid'\nimport { used } from '../doctor/some.ts'\nused(ulid())\n`,
      'core/doctor/some.ts': `export const used = (id: string) => dead + id\nexport const dead = ''\nexport type Dead = string\n`,
      'core/doctor/alone.ts': 'export const alone = 1\n',
    })
    const report = await unusedIn(folder)
    expect(report).toContain('core/doctor/alone.ts')
    expect(report).toMatch(/Unused exports \(1\)\ndead +core\/doctor\/some\.ts/)
    expect(report).toMatch(/Unused exported types \(1\)\nDead +type +core\/doctor\/some\.ts/)
    expect(report).toMatch(/Unused devDependencies \(1\)\nzod /)
    expect(report).not.toContain('ulid')
  })
})
