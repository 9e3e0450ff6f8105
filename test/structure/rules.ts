import { allSystems } from '#core/systems/systems.ts'
import { readGlossary } from './glossary.ts'
import { type SourceFile, VALUE } from './source-code.ts'

/** One thing in the source that breaks a rule, and the line on which it stands. */
type Broken = { readonly line: number; readonly what: string }

export type SourceRule = {
  readonly name: string
  /** What somebody who breaks the rule has to do. */
  readonly advice: string
  /** Files, or beginnings of paths, for which the rule does not hold. */
  readonly except: readonly string[]
  readonly find: (file: SourceFile) => readonly Broken[]
}

const FOREIGN_SYSTEMS = allSystems().flatMap(({ id }) => (id === 'native' ? [] : id))
const NAMES_A_SYSTEM = new RegExp(`(?<![\\w-])(?:${FOREIGN_SYSTEMS.join('|')})(?![\\w-])`, 'i')

const CONVERSATION_TABLES =
  'conversations|messages|message_parts|summaries|summary_messages|summary_sources|context_items|large_files|compaction_runs|compaction_events'
const ON_CONVERSATION_TABLES = new RegExp(
  `\\b(?:FROM|JOIN|INTO|UPDATE)\\s+(?:main\\.|temp\\.)?(?:${CONVERSATION_TABLES})\\b`,
)

/** Begins as a statement that reads or changes rows. Keywords are upper case, so that no sentence is meant. */
const ROW_STATEMENT =
  /^\s*(?:SELECT\s+\S|DELETE FROM\s|(?:INSERT|REPLACE) (?:OR \w+ )?INTO\s|WITH (?:RECURSIVE )?\w+ (?:\(|AS)|UPDATE (?:OR \w+ )?\S+\s+SET\s)/
/** Begins as a statement that changes the schema. */
const SCHEMA_STATEMENT = /^\s*(?:CREATE|DROP|ALTER) (?:TEMP |UNIQUE |VIRTUAL )*(?:TABLE|INDEX|VIEW|TRIGGER)\s/

const isStatement = (text: string) => ROW_STATEMENT.test(text) || SCHEMA_STATEMENT.test(text)

const isIn = (path: string, places: readonly string[]) => places.some((place) => path.startsWith(place))

export const systemNames: SourceRule = {
  name: 'names of other systems',
  advice:
    'Only core/systems knows other systems: put it into the folder of the system, and ask the `System` (core/systems/system.ts) for it. What reads a database of another system lies beside ours in core/remote.',
  except: ['core/systems/', 'core/contract/', 'core/remote/volt/'],
  find: ({ literals }) =>
    literals.flatMap(({ text, line }) => (NAMES_A_SYSTEM.test(text) ? [{ line, what: shortened(text) }] : [])),
}

export const systemComparisons: SourceRule = {
  name: 'comparisons of the system',
  advice:
    'What depends on the system is a property of it: add one to `System` (core/systems/system.ts), or ask `info.capabilities`.',
  except: ['core/systems/', 'core/contract/'],
  find: (file) => file.systemComparisons.map((line) => ({ line, what: 'compares `system`' })),
}

export const conversationTables: SourceRule = {
  name: 'SQL on conversation tables',
  advice:
    'Reading belongs to core/systems (into the memory) and core/sqlite, writing to core/ingest, core/ledger, core/compaction, core/remote and core/doctor/apply, what only one rule asks to core/doctor/rules. Ask the memory instead.',
  except: [
    'core/sqlite/',
    'core/systems/',
    'core/ingest/',
    'core/ledger/',
    'core/compaction/',
    'core/remote/',
    'core/doctor/apply/',
    'core/doctor/rules/',
    'core/doctor/salvage/',
    'core/doctor/working-copy/',
  ],
  find: ({ literals }) =>
    literals.flatMap(({ text, line }) => (ON_CONVERSATION_TABLES.test(text) ? [{ line, what: shortened(text) }] : [])),
}

const FOLLOWS_LINKS = /\bWITH RECURSIVE\b.*\bsummary_(?:sources|messages|parents)\b/s

export const recursion: SourceRule = {
  name: 'recursive SQL over links of summaries',
  advice:
    'What a summary covers is known to its memory: `coverage.reach`, `links.withSources`, `links.withDependents`.',
  except: [
    // Upwards, so that a page of a transcript does not wait for the lineage.
    'core/systems/reading/covers.ts',
    // Along the last sources alone, a row a level, between two writes of a compaction.
    'core/systems/reading/sources.ts',
    // Views derive what files of other systems do not store.
    'core/systems/deriving/derived-views.ts',
    'core/systems/hermes-lcm/',
    'core/systems/lossless-claw/',
  ],
  find: ({ literals }) =>
    literals.flatMap(({ text, line }) => (FOLLOWS_LINKS.test(text) ? [{ line, what: shortened(text) }] : [])),
}

export const statements: SourceRule = {
  name: 'SQL outside of `queries`',
  advice:
    'A statement stands in the `queries` object on top of its file, with /* sql */ before it. One that is put together from parts needs the tag only.',
  except: [],
  find: ({ literals }) =>
    literals.flatMap(({ text, line, isTaggedSql, isInQueries }) => {
      const isFixed = ROW_STATEMENT.test(text) && !text.includes(VALUE)
      const isWrong = isFixed ? !(isTaggedSql && isInQueries) : isStatement(text) && !isTaggedSql
      return isWrong ? [{ line, what: shortened(text) }] : []
    }),
}

export const yielding: SourceRule = {
  name: 'yields outside of core/yielding.ts',
  advice: 'Other work is let in by core/yielding.ts alone: `yieldToOthers`, `inSlices`, `TimeSlice`.',
  except: ['core/yielding.ts'],
  find: (file) => identifiersOf(file, 'setImmediate', 'setImmediatePromise', 'scheduler', 'Atomics'),
}

export const hashing: SourceRule = {
  name: 'hashes outside of core/hashing.ts',
  advice: 'Texts are hashed by core/hashing.ts: `sha256`, `startSha256`.',
  except: ['core/hashing.ts'],
  find: (file) => identifiersOf(file, 'createHash', 'createHmac'),
}

export const platforms: SourceRule = {
  name: 'questions for the operating system outside of core/platform.ts',
  advice: 'What differs between systems stands in core/platform.ts, with a test for each of them.',
  except: ['core/platform.ts', 'core/local-path.ts'],
  find: (file) => identifiersOf(file, 'platform'),
}

/** Words that were replaced, each with the term of the glossary. */
const REPLACED: ReadonlyMap<string, string> = new Map(
  readGlossary().flatMap(({ term, replaced }) => replaced.map((word): [string, string] => [word, term])),
)

export const words: SourceRule = {
  name: 'replaced words in names of files and exports',
  advice: 'Use the term of docs/glossary.md, which stands behind the name.',
  except: [],
  find: ({ path, exportedNames }) => {
    const file = path.slice(path.lastIndexOf('/') + 1).replace(/\.tsx?$/, '')
    return [file, ...exportedNames].flatMap((name) =>
      wordsOf(name).flatMap((word) => {
        const better = REPLACED.get(word) ?? REPLACED.get(word.replace(/e?s$/, ''))
        return better === undefined ? [] : [{ line: 1, what: `${name}: ${better}` }]
      }),
    )
  },
}

const NOT_IN_WINDOW: ReadonlyMap<string, string> = new Map(
  readGlossary().flatMap(({ term, notInWindow }) => notInWindow.map((word): [string, string] => [word, term])),
)
const HAS_SUCH_A_WORD = new RegExp(`(?<![\\p{L}-])(?:${[...NOT_IN_WINDOW.keys()].join('|')})(?![\\p{L}_])`, 'iu')
const TERMS: ReadonlySet<string> = new Set(readGlossary().map(({ term }) => term))

/** A word alone is a value, not a text that somebody reads, unless it begins like one; so is a term that is looked up. */
const isRead = (text: string): boolean =>
  !TERMS.has(text) && (/\s\S/.test(text.trim()) || /^(?:[A-Z][a-z]|τ)/.test(text.trim()))

/** The window shows what the checks of a file say as it is. */
const isShownAsItIs = (path: string): boolean => /^(?:renderer|core\/doctor\/rules)\//.test(path)

export const windowWords: SourceRule = {
  name: 'words that stand nowhere in the window',
  advice: 'Say it as the column "in the window" of docs/glossary.md does.',
  except: [
    // People may type the words of earlier versions.
    'renderer/frame/use-action-entries.ts',
    // The file is for another program, whose word it is.
    'renderer/features/graph/graph-export.ts',
  ],
  find: ({ path, literals }) =>
    literals.flatMap(({ text, line, isTaggedSql }) => {
      const word = isShownAsItIs(path) && !isTaggedSql && isRead(text) ? HAS_SUCH_A_WORD.exec(text)?.[0] : undefined
      return word === undefined ? [] : [{ line, what: `${JSON.stringify(text)}: ${word}` }]
    }),
}

export const storedNumbers: SourceRule = {
  name: 'stored numbers of messages in the window',
  advice: 'People call a message by its place in the conversation, from 1 on: `MessageName`, or its position + 1.',
  except: [],
  find: ({ path, writtenSeqs }) =>
    isShownAsItIs(path) ? writtenSeqs.map((line) => ({ line, what: 'writes a seq' })) : [],
}

const wordsOf = (name: string): string[] =>
  name.split(/[^A-Za-z]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())

export const RULES: readonly SourceRule[] = [
  systemNames,
  systemComparisons,
  conversationTables,
  recursion,
  statements,
  yielding,
  hashing,
  platforms,
  words,
]

/** How often a file breaks a rule. */
export const brokenBy = (rule: SourceRule, file: SourceFile): readonly Broken[] =>
  isIn(file.path, rule.except) ? [] : rule.find(file)

const identifiersOf = ({ identifiers }: SourceFile, ...names: readonly string[]): Broken[] =>
  names.flatMap((name) => {
    const line = identifiers.get(name)
    return line === undefined ? [] : [{ line, what: name }]
  })

const shortened = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 80)
