import { migrations } from '#core/sqlite/native.ts'
import { isNative } from '#core/systems/native/native.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'

const queries = {
  names: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'index')`,
}

/** Returns the tables and indexes that the schema of a native file creates. */
const made = (version: number): string[] =>
  migrations
    .slice(0, version)
    .flatMap((sql) => [...sql.matchAll(/^CREATE (?:VIRTUAL )?(?:UNIQUE )?(?:TABLE|INDEX) (\w+)/gm)])
    .flatMap(([, name]) => name ?? [])

const expectedNames = ({ db, info, probe, system }: RuleContext): readonly string[] =>
  isNative(info)
    ? made(db.value<number>('PRAGMA main.user_version') ?? 0)
    : (system.facts.structure?.names(probe) ?? [])

function* checkStructure(context: RuleContext): Iterable<Finding> {
  const { db } = context
  const there = new Set(db.column<string>(queries.names))
  const finding = (detail: string): Finding => ({ id: null, conversationId: null, detail })
  for (const name of expectedNames(context)) {
    // The rules about indexes report a missing full-text index.
    if (!there.has(name) && !/_(fts|trigram)$/.test(name)) {
      yield finding(`${name} is missing, which files of this version have`)
    }
  }
  for (const step of context.system.facts.structure?.undoneSteps(context) ?? []) {
    yield finding(`the step ${step} of bringing the file up to date is not recorded as done`)
  }
}

function* findLostTables({ probe, system }: RuleContext): Iterable<Finding> {
  for (const table of system.facts.lostTables?.(probe) ?? []) {
    yield { id: null, conversationId: null, detail: `the table ${table} is gone; the rest is read without it` }
  }
}

/** Rules that need a missing table report findings as well. */
export const tableLost = {
  id: 'table_lost',
  group: 'file',
  severity: 'error',
  phase: 'structure',
  invariant: 'The file has the tables without which a memory is none.',
  explanation:
    'A whole table was dropped. What stood in it can only come from a backup; its system stops at this file.',
  advice:
    'Restore a backup, or import the transcript again. Nothing is repaired without the table: it would be taken for what is right.',
  cannotRestore: 'What stood in the table is nowhere else in the file.',
  notApplicable: ({ info, system }) =>
    system.facts.lostTables !== null ? null : `A file of ${info.systemLabel} that lacks one is not opened.`,
  find: findLostTables,
} as const satisfies Rule

export const tableRules = [
  tableLost,
  {
    id: 'schema_incomplete',
    group: 'file',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The file has the tables and indexes that its version of the system brings.',
    explanation:
      'A part of the file is missing that its system relies on. It may make it anew, empty, be slow without it, or stop.',
    advice: 'Start its own system once with a copy of the file: most versions add what is missing.',
    // A table that accepts such rows has lost its keys, and its indexes with them.
    consequenceOf: ['duplicate_edge', 'ordinal_duplicate', 'sequence_duplicate', 'invalid_value', 'table_lost'],
    notApplicable: ({ info, system }) =>
      isNative(info) || system.facts.structure !== null
        ? null
        : `What each version of ${info.systemLabel} brings is not known.`,
    find: checkStructure,
  },
] as const satisfies readonly Rule[]
