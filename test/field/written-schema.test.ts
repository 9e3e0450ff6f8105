import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeSystemFiles } from '../builders/systems/written-files.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { stored } from '../systems/foreign-files.ts'

const written = temporaryFolder()
writeSystemFiles(written)

/** Every table, index and trigger. */
const schemaOf = (path: string): string[] =>
  stored<{ name: string }>(
    path,
    `SELECT type || ' ' || name || ' on ' || tbl_name AS name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1`,
  ).map(({ name }) => name)

it.each([
  'argentos/small.db',
  'decapod/small/lcm.db',
  'hermes-lcm/small.db',
  'lcm-x/small.db',
  'pi-lcm/small.db',
  'lossless-claude/small.sqlite',
  'lossless-claw/small.db',
  ...['0.1.2', '0.5.0', '0.8.1', '0.10.0', '0.13.0', '0.15.3', '1.0.0-beta.4'].map(
    (release) => `lossless-claw/legacy/v${release}.db`,
  ),
])('a fixture writer makes every table, index and trigger that the system made in %s', (name) => {
  expect(schemaOf(join(written, name))).toEqual(schemaOf(join(FIXTURES, name)))
})
