import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inProject } from '#scripts/project.mjs'
import { packageFolder } from '#test/builders/built-program.ts'
import { RECORD } from '#test/recorded/recording.ts'

const REPORT = inProject('docs/library-types.md')

const HEAD = `# Types of the library

Every type that \`lcm-inspector\` exports, without its comments, as the built package declares it. A change of this page is a change of what programs rest on: a line that is taken away or changed comes with a new major version, a new line with a minor one ([compatibility.md](compatibility.md)). What the calls do says [library.md](library.md).

`

/** The declarations without comments, one field a line. Texts in quotes may hold what looks like a comment. */
function reportOf(declarations: string): string {
  const bare = declarations.replaceAll(/("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\/\*[\s\S]*?\*\/|^\/\/.*$/gm, '$1')
  const args = [inProject('node_modules/@biomejs/biome/bin/biome'), 'format', '--stdin-file-path=types.ts']
  return execFileSync(process.execPath, args, { cwd: inProject('.'), input: bare, encoding: 'utf8' })
}

it('exports the types of docs/library-types.md, so that a change of them is seen', () => {
  const types = reportOf(readFileSync(join(packageFolder, 'out/library/index.d.ts'), 'utf8'))
  const page = `${HEAD}\`\`\`ts\n${types.replaceAll(/\n{2,}/g, '\n').trim()}\n\`\`\`\n`
  if (RECORD === 'write') writeFileSync(REPORT, page)
  expect(page, 'a wanted change is recorded with LCM_TEST_RECORD=write').toBe(readFileSync(REPORT, 'utf8'))
})
