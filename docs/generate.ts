import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GLOSSARY, type GlossaryEntry } from '../core/contract/glossary.ts'
import { SCHEMA_V6 as POSTGRES_V6 } from '../core/remote/postgres/counted-writes.ts'
import {
  SCHEMA_V2 as POSTGRES_V2,
  SCHEMA_V3 as POSTGRES_V3,
  SCHEMA_V4 as POSTGRES_V4,
} from '../core/remote/postgres/later-versions.ts'
import { PARTITIONS } from '../core/remote/postgres/migrate.ts'
import { POLICIES, SCHEMA_V1 as POSTGRES_V1, partitions, ROLES } from '../core/remote/postgres/schema.ts'
import { SCHEMA_V5 as POSTGRES_V5 } from '../core/remote/postgres/tool-texts.ts'
import { defaultText } from '../core/settings/effective-settings.ts'
import { ENVIRONMENT_ONLY } from '../core/settings/unknown-variables.ts'
import { VARIABLES, type Variable } from '../core/settings/variables.ts'
import { SCHEMA_V2, SCHEMA_V3, SCHEMA_V5 } from '../core/sqlite/later-versions.ts'
import { SCHEMA_V1 } from '../core/sqlite/schema.ts'
import { SEARCH_SCHEMA } from '../core/sqlite/search-schema.ts'
import { allSystems } from '../core/systems/systems.ts'
import { commandLineManual, inspectorManual } from './man-pages.ts'
import { NOTE } from './note.ts'
import { referencePage } from './reference-page.ts'
import { withRoomsPicture } from './rooms.ts'

/**
 * Writes docs/schema.md, docs/schema-postgresql.md, docs/reference.md, docs/configuration.md, docs/glossary.md, the manual
 * pages and the picture in ARCHITECTURE.md from the code. `node docs/generate.ts` writes them; a test fails when they are
 * not what would be written now.
 */

export function schemaPage(): string {
  return `${NOTE}

# The native schema

One SQLite file in WAL mode. \`application_id\` is \`LCMi\`, \`user_version\` the schema version. Times are INTEGER milliseconds since 1970 UTC; token counts are whole numbers by the estimator that \`lcm_meta\` names.

## Tables

\`\`\`sql${SCHEMA_V1.trimEnd()}
\`\`\`

## Added by version 2

\`\`\`sql${SCHEMA_V2.trimEnd()}
\`\`\`

## Added by version 3

\`\`\`sql${SCHEMA_V3.trimEnd()}
\`\`\`

## Added by version 5

\`\`\`sql${SCHEMA_V5.trimEnd()}
\`\`\`

## Search

\`\`\`sql${SEARCH_SCHEMA.trimEnd()}
\`\`\`

Version 4 wrote the view \`message_text\` and the trigger \`message_parts_index_insert\` anew, so that SQLite 3.37 and later (\`STRICT\` tables need it) opens, reads and writes the file. Writing needs a build with FTS5, and where the file keeps a ledger, with the JSON functions (built in from 3.38 on).
`
}

export function postgresPage(): string {
  return `${NOTE}

# The tables in PostgreSQL

\`lcm pg migrate\` makes them in the schema \`lcm\` of a PostgreSQL 13 or later; \`lcm.schema_version\` says which steps are done. They hold what the tables of a native file ([schema.md](schema.md)) hold, in the same columns. A text that PostgreSQL refuses stands in its column with U+FFFD in place of each refused character, and unchanged in \`exact_texts\`: a JSON object with the text by column, in UTF-16LE as base64. How it is used: [scale.md](scale.md); why it is so: [decision 32](decisions/0032-postgresql.md).

## Version 1

\`\`\`sql${POSTGRES_V1.trimEnd()}
\`\`\`

## Partitions

Each partitioned table has ${PARTITIONS} partitions, or as many as the first \`lcm pg migrate --partitions\` says.

\`\`\`sql${partitions(PARTITIONS).trimEnd()}
\`\`\`

## Row-level security

\`\`\`sql${POLICIES.trimEnd()}
\`\`\`

## Added by version 2

\`\`\`sql${POSTGRES_V2.trimEnd()}
\`\`\`

## Added by version 3

\`\`\`sql${POSTGRES_V3.trimEnd()}
\`\`\`

## Added by version 4

\`\`\`sql${POSTGRES_V4.trimEnd()}
\`\`\`

## Added by version 5

\`\`\`sql${POSTGRES_V5.trimEnd()}
\`\`\`

## Added by version 6

\`\`\`sql${POSTGRES_V6.trimEnd()}
\`\`\`

## Roles

Printed by \`lcm pg roles\`, to be run once by an administrator.

\`\`\`sql${ROLES.trimEnd()}
\`\`\`
`
}

export function configurationPage(): string {
  const settings = Object.values(VARIABLES).map((variable: Variable<unknown, unknown>) => {
    const { name, effect, accepts } = variable
    return `| \`${name}\` | ${defaultText(variable)} | ${accepts} | ${effect} |`
  })
  const others = ENVIRONMENT_ONLY.map(({ name, byDefault, effect }) => `| \`${name}\` | ${byDefault} | ${effect} |`)
  return `${NOTE}

# Configuration

A setting comes from the environment, else from \`values\` of the settings file ([models.md](models.md) shows one), else from its default. The window shows each with where it comes from, and changes the file. A blank variable is not set. A value that is not accepted is refused with the name and the range, wherever it stands.

A variable that begins with \`LCM_\` and is none of these changes nothing. In the settings file it is refused; in the environment, where it may be another program's, a command names it on standard error with the variable that was probably meant, and the window on its page of settings.

## Settings

| variable | default | accepts | what it changes |
|---|---|---|---|
${settings.join('\n')}

## In the environment only

These decide before settings are read.

| variable | default | what it is |
|---|---|---|
${others.join('\n')}

Variables that begin with \`LCM_TEST_\` and a few more (\`LCM_FIELD_DATA\`, \`LCM_BENCH_LARGE\` …) belong to the tests and measurements of a checkout.

## Other names for the same

| name | of | here |
|---|---|---|
| \`LCM_DB_DIR\` | pi-lcm | the folder of \`lcm.db\`, where \`LCM_DATABASE_PATH\` and \`LCM_DATABASE_URL\` are not set; the window says so beside the path |
| \`tokenBudget\` | the specification of the service, OpenClaw | \`budgetTokens\`, where a window is assembled |
| \`auto\` | ArgentOS, as \`summaryModel\` | in \`LCM_SUMMARIZERS\` and \`chain\`, every configured provider in order; as the summariser of a run, the chain |
| \`debugMode\`, \`LCM_DEBUG_MODE\` | pi-lcm | \`LCM_LOG_LEVEL=debug\`, where no level is set |

## Settings of other systems

The window shows on its page of settings what other systems on this machine are set to, as far as this program has the same value, and offers each file as a preset of a compaction. A value holds here only when somebody takes it over, which writes it to the settings file. Their files are only read; nothing but numbers, flags and \`auto\` under the names below is taken from them. A file of more than 256 KiB is not read.

| system | file | its name | here |
|---|---|---|---|
${ownNames().join('\n')}
`
}

export function glossaryPage(): string {
  const rows = Object.entries<GlossaryEntry>(GLOSSARY).map(
    ([term, { meaning, replaced = [], inWindow = '', notInWindow = [] }]) =>
      `| ${[term, meaning, replaced.join(', '), inWindow, notInWindow.join(', ')].join(' | ').trimEnd()} |`,
  )
  return `${NOTE}

# Glossary

One word for one thing, in code, comments, messages and documents. The window explains its terms by it. The third column names words that were used for it before: a file or an exported name of the core, the shell or the window with one of them fails the tests (\`test/structure\`). The last two columns say what the window calls it, and which words for it stand nowhere in the window; the tests hold that over every text of the window.

| term | what it is | not | in the window | not in the window |
|---|---|---|---|---|
${rows.join('\n')}
`
}

function ownNames(): string[] {
  return allSystems().flatMap(({ preset, id, ownSettings }) => {
    if (!ownSettings) return []
    const files = ownSettings.files({ home: '~', env: {}, cwd: '.' }).map((file) => `\`${file}\``)
    return ownSettings.sections.flatMap(({ at, names }) =>
      Object.entries(names).map(
        ([name, variable]) =>
          `| ${preset?.label ?? id} | ${files.join(', ')} | \`${[...at, name].join('.')}\` | \`${variable}\` |`,
      ),
    )
  })
}

const architecturePage = (): string =>
  withRoomsPicture(readFileSync(join(import.meta.dirname, '../ARCHITECTURE.md'), 'utf8'))

export const pages: readonly { readonly file: string; readonly make: () => string }[] = [
  { file: 'schema.md', make: schemaPage },
  { file: 'schema-postgresql.md', make: postgresPage },
  { file: 'reference.md', make: referencePage },
  { file: 'configuration.md', make: configurationPage },
  { file: 'glossary.md', make: glossaryPage },
  { file: 'man/lcm.1', make: commandLineManual },
  { file: 'man/lcm-inspector.1', make: inspectorManual },
  { file: '../ARCHITECTURE.md', make: architecturePage },
]

export function isFresh(file: string, text: string): boolean {
  return readFileSync(join(import.meta.dirname, file), 'utf8') === text
}

if (import.meta.main) for (const { file, make } of pages) writeFileSync(join(import.meta.dirname, file), make())
