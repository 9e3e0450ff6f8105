import { beforeAll, describe, expect, it } from 'vitest'
import {
  brokenBy,
  conversationTables,
  hashing,
  platforms,
  RULES,
  recursion,
  statements,
  storedNumbers,
  systemComparisons,
  systemNames,
  windowWords,
  words,
  yielding,
} from './rules.ts'
import { readSource, readSources, type SourceFile } from './source-code.ts'

// Parses every file of the core and of the window, which takes some seconds.

describe('the source of the core', () => {
  let files: readonly SourceFile[] = []

  beforeAll(() => {
    files = readSources('core')
  })

  it('is read as a whole', () => {
    expect(files.length).toBeGreaterThan(300)
    expect(files.flatMap(({ literals }) => literals).length).toBeGreaterThan(5000)
  })

  it.each(RULES)('has no $name', (rule) => {
    const broken = files.flatMap((file) => brokenBy(rule, file).map(({ line, what }) => `${file.path}:${line} ${what}`))
    expect(broken, rule.advice).toEqual([])
  })
})

it('the shell asks core/platform.ts on which system it runs', () => {
  const files = readSources('electron')
  expect(files.length).toBeGreaterThan(10)
  expect(files.flatMap((file) => brokenBy(platforms, file).map(({ line }) => `${file.path}:${line}`))).toEqual([])
})

describe('the source of the window', () => {
  it('names no file and no export with a replaced word', () => {
    const files = readSources('renderer', 'electron')
    expect(files.length).toBeGreaterThan(200)
    expect(files.flatMap((file) => brokenBy(words, file).map(({ what }) => `${file.path} ${what}`))).toEqual([])
  })
})

describe('the texts of the window', () => {
  it('say each thing with the one word of the glossary', () => {
    const broken = readSources('renderer', 'core/doctor/rules').flatMap((file) =>
      brokenBy(windowWords, file).map(({ line, what }) => `${file.path}:${line} ${what}`),
    )
    expect(broken, windowWords.advice).toEqual([])
  })

  it('call a message by its place in the conversation, and never by the number that the file stores', () => {
    const broken = readSources('renderer', 'core/doctor/rules').flatMap((file) =>
      brokenBy(storedNumbers, file).map(({ line }) => `${file.path}:${line}`),
    )
    expect(broken, storedNumbers.advice).toEqual([])
  })
})

describe('a rule about the source', () => {
  const lines = (rule: (typeof RULES)[number], code: string, path = 'core/search/planted.ts') =>
    brokenBy(rule, readSource(path, code)).map(({ line }) => line)

  it('refuses the name of another system in a string, a template, a type and a sentence', () => {
    const code = [
      `const a = 'hermes-lcm'`,
      'const b = `only $' + '{a} and pi-lcm`',
      `type C = 'decapod'`,
      `const d = 'Only ArgentOS does this.'`,
    ].join('\n')
    expect(lines(systemNames, code)).toEqual([1, 2, 3, 4])
  })

  it('allows the name of another system in a comment, in the path of an import and in core/systems', () => {
    expect(lines(systemNames, `// as hermes-lcm does\nimport { a } from '../systems/decapod/a.ts'\n`)).toEqual([])
    expect(lines(systemNames, `const a = 'hermes-lcm'`, 'core/systems/hermes-lcm/a.ts')).toEqual([])
  })

  it('refuses comparisons of the system of a memory', () => {
    const code = [
      `if (info.system === 'native') a()`,
      `if (system !== other) a()`,
      `if ((copiedFrom?.system ?? system) === 'native') a()`,
      `switch (info.system) { case 'native': a() }`,
      `if (systems === 3) a()`,
    ].join('\n')
    expect(lines(systemComparisons, code)).toEqual([1, 2, 3, 4])
  })

  it('refuses SQL on conversation tables outside of the rooms that read and write them', () => {
    const code = [
      'const a = /* sql */ `SELECT 1 FROM messages`',
      'const b = /* sql */ `UPDATE main.summaries SET depth = 1`',
      'const c = /* sql */ `SELECT 1 FROM lcm_meta`',
    ].join('\n')
    expect(lines(conversationTables, code)).toEqual([1, 2])
    expect(lines(conversationTables, code, 'core/ingest/planted.ts')).toEqual([])
  })

  it('refuses recursive SQL over links of summaries, and allows it over other things', () => {
    const code = [
      'const a = /* sql */ `WITH RECURSIVE up (id) AS (SELECT e.summary_id FROM summary_sources AS e) SELECT id FROM up`',
      'const b = /* sql */ `WITH RECURSIVE up (id) AS (SELECT parent FROM conversations) SELECT id FROM up`',
      'const c = /* sql */ `SELECT summary_id FROM summary_sources`',
    ].join('\n')
    expect(lines(recursion, code)).toEqual([1])
    expect(lines(recursion, code, 'core/systems/reading/covers.ts')).toEqual([])
  })

  it('refuses to yield and to hash outside of the ground files for it', () => {
    expect(lines(yielding, `import { a } from 'a'\nawait new Promise((go) => setImmediate(go))`)).toEqual([2])
    expect(lines(yielding, `import { setImmediate } from 'node:timers/promises'`)).toEqual([1])
    expect(lines(hashing, `import { createHash as a } from 'node:crypto'`)).toEqual([1])
    expect(lines(hashing, `import { createHash } from 'node:crypto'`, 'core/hashing.ts')).toEqual([])
  })

  it('refuses replaced words in the names of files and of exports', () => {
    expect(lines(words, 'export const firstSpan = 1\nexport type Stretches = 1')).toEqual([1, 1])
    expect(lines(words, 'export const a = 1', 'core/search/index-ways.ts')).toEqual([1])
    expect(lines(words, 'const stretch = 1\nexport const always = 1', 'core/search/window.ts')).toEqual([])
  })

  it('refuses statements without their tag, and fixed ones outside of `queries`', () => {
    const code = [
      'const queries = { a: /* sql */ `SELECT 1`, b: `SELECT 2` }',
      'db.value(/* sql */ `SELECT 3`)',
      'db.value(`SELECT $' + '{column} FROM t`)',
      'db.value(/* sql */ `SELECT $' + '{column} FROM t`)',
      `db.exec('DELETE FROM t')`,
      `db.exec('CREATE TABLE t (a)')`,
      `throw new Error('Select a file, or update it with care.')`,
    ].join('\n')
    expect(lines(statements, code)).toEqual([1, 2, 3, 5, 6])
  })

  it('refuses a word that the window does not use, and allows it as a value and as a term that is looked up', () => {
    const code = [
      `const a = <p>the fresh tail is full</p>`,
      'const b = `Pressure of $' + '{a}`',
      `const c = 'one leaf of this tree'`,
      `const d = 'leaf'`,
      `const e = meaningOf('τ soft, τ hard')`,
      `const f = 'the newest messages, in a pressured cleaflet'`,
      `const g = <p>τ</p>`,
      `const h = 'below τ hard'`,
    ].join('\n')
    expect(lines(windowWords, code, 'renderer/planted.tsx')).toEqual([1, 2, 3, 7, 8])
    expect(lines(windowWords, code, 'core/planted.tsx')).toEqual([])
  })

  it('refuses the stored number of a message in what the window says, and allows it to order by', () => {
    const code = [
      'const a = formatCount(node.firstSeq)',
      `const b = plural(seq, 'message')`,
      'const c = <p>{lastSeq}</p>',
      'const d = `message $' + '{messages.seqs[position]} is gone`',
      'const e = first.seq - last.seq',
      'const f = formatCount(sequence.length)',
    ].join('\n')
    expect(lines(storedNumbers, code, 'renderer/planted.tsx')).toEqual([1, 2, 3, 4])
    expect(lines(storedNumbers, code, 'core/planted.tsx')).toEqual([])
  })
})
