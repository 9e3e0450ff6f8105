import { join } from 'node:path'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { MESSAGE_TEXT_VIEW, requireRowids, view } from '../deriving/canonical.ts'
import { asText, derivedViews, schemaLabel } from '../deriving/derived-views.ts'
import { memoriesIn, setIn } from '../places.ts'
import type { ForeignSystem } from '../system.ts'
import { indexOfMessages } from '../system-facts.ts'
import { unshownRows } from '../unshown-rows.ts'
import { derivingPi } from './derived.ts'
import { agentFolder, facts, knownExceptions, ownSettings, preset, valueRules } from './facts.ts'
import { piPartsView } from './parts.ts'
import { rules } from './rules.ts'

const queries = {
  hasMetadata: /* sql */ `SELECT 1 FROM pragma_table_info('_metadata', 'main') WHERE name = 'value'`,
  project: /* sql */ `SELECT CAST(value AS TEXT) FROM main._metadata WHERE key = 'cwd'`,
  version: /* sql */ `SELECT CAST(max(version) AS INTEGER) FROM main._schema_version`,
  shown: {
    messages: /* sql */ `SELECT count(*) FROM temp.derived_messages`,
    summaries: /* sql */ `SELECT count(*) FROM temp.derived_summaries`,
    summary_sources: /* sql */ `
      SELECT (SELECT count(*) FROM temp.derived_summary_messages) + (SELECT count(*) FROM temp.derived_summary_sources)`,
  },
}

/**
 * A message's number is its row, a summary's id its UUID. The original message is kept as JSON: parts are made from it,
 * since the text beside it has no reasoning and tells no call from what was said.
 */
export const piLcm: ForeignSystem = {
  id: 'pi-lcm',
  facts,
  valueRules,
  ownIndexes: [indexOfMessages('t.rowid', 't.content_text')],
  tokenRules: [(text) => Math.ceil(text.length / 3.5)],
  knownExceptions,
  rules,
  preset,
  ownSettings,
  places: (surroundings) =>
    [join(agentFolder(surroundings), 'lcm'), setIn(surroundings.env, 'LCM_DB_DIR')].flatMap((folder) =>
      folder === null ? [] : memoriesIn(folder),
    ),
  summaries: 'replace',
  ledger: null,
  label: () => 'pi-lcm',
  detect: (probe) =>
    probe.has('_schema_version') &&
    probe.has('_metadata', 'key') &&
    probe.has('summary_sources', 'source_type') &&
    probe.has('messages', 'dedup_hash'),
  project: (db) => (db.value(queries.hasMetadata) ? (db.value<string>(queries.project) ?? null) : null),
  version: (probe, { db }) => (probe.has('_schema_version', 'version') ? schemaLabel(db.value(queries.version)) : null),
  capabilities: () => ({
    parts: true,
    files: false,
    runs: false,
    storedWindow: false,
    derivedWindow:
      'Of each depth the newest summary, deepest first, as far as 8,000 tokens reach; then every message that was not compacted.',
    levels: false,
    fullTextIndex: false,
    substringIndex: false,
  }),
  lacks: (_probe, source) => [
    ...unshownRows(source, queries.shown),
    'The window is not stored. It is worked out by the rule of pi-lcm: the newest summary of each depth, the deepest first, then what was not compacted. Which messages Pi itself kept, and the list of summary ids that pi-lcm adds, are not in the file.',
    'Messages with the same role, millisecond and first 200 characters were stored once: such repetitions are lost.',
    'When and why the conversation was compacted is not recorded.',
  ],
  views,
  deriving: derivingPi,
}

function views(probe: SchemaProbe): string {
  requireRowids(probe, 'pi-lcm', ['conversations', 'messages', 'summaries', 'summary_sources'])
  const text = (table: string, column: string, row: string): string =>
    probe.has(table, column) ? `(SELECT ${asText(`t.${column}`)} FROM main.${table} AS t WHERE t.rowid = ${row})` : `''`
  const name = 'CAST(m.id AS TEXT)'
  return [
    derivedViews({
      importer: 'pi-lcm',
      messageContent: text('messages', 'content_text', 'd.message_id'),
      ...(probe.has('messages', 'id')
        ? { messageName: `(SELECT ${name} FROM main.messages AS m WHERE m.rowid = d.message_id)` }
        : {}),
      summaryContent: text('summaries', 'text', 's.summary_rowid'),
    }),
    probe.has('messages', 'id')
      ? view('message_names', { external_id: 'm.id', message_id: 'm.rowid' }, 'main.messages AS m')
      : '',
    piPartsView(probe),
    MESSAGE_TEXT_VIEW,
  ].join('')
}
