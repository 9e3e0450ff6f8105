import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import {
  type ImportedFile,
  ImportResult,
  ImportWindow,
  type NewerVersion,
  TranscriptFormat,
} from '#core/contract/import.ts'
import { LcmError } from '#core/errors.ts'
import type { GivenTranscript } from '#core/ingest/transcripts/transcript-files.ts'
import type { Lcm } from '#core/lcm.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { requireEnabled } from '#core/settings/switched-off.ts'
import { isMissingOrEmpty } from '#core/sqlite/memory-file.ts'
import { makeTemporaryFolder } from '#core/sqlite/process-folder.ts'
import { withoutUnfilled } from '#core/sqlite/unfilled-memory.ts'
import { plural } from '#core/text.ts'
import { defineCommand } from '../command.ts'
import { withStandardInput } from '../input/standard-input.ts'
import { interruptible } from '../interruptible.ts'
import { EXIT } from '../output/output.ts'
import { count, oneLine, table } from '../output/text.ts'
import { type MemoryOptions, withMemory } from '../session.ts'

const paths = z
  .array(z.string())
  .min(1)
  .meta({ description: 'transcript files or folders of them; - is standard input', value: 'path' })

/** Ctrl-C stops it at the next step. What was committed stays, and the file is valid. */
export const importCommand = defineCommand({
  name: 'import',
  example: 'import ~/.claude/projects --db memory.db',
  memory: {
    instead:
      'import into a file with --db FILE, and copy that with "lcm copy --from FILE --to postgres://…", which leaves conversations that are there as they are.',
  },
  fields: z.object({ paths, format: TranscriptFormat.default('auto'), window: ImportWindow.default('agent') }),
  positional: ['paths'],
  prints: ImportResult,
  run: async ({ paths, format, window }, given) => {
    requireEnabled(loadSettings(process.env), 'import transcripts')
    const value = await withStandardInput(paths, async (transcripts) => {
      const request = { paths: transcripts, format, window }
      const path = resolve(given.db ?? loadSettings(process.env).databasePath)
      return (await triedAside(given, request)) ?? (await withoutUnfilled(path, () => importInto(given, request)))
    })
    const failed = value.files.filter((file) => file.error !== null)
    const conflicts = value.files.reduce((sum, file) => sum + file.conflicts, 0)
    const text = (): string =>
      [
        table(
          ['conversation', 'format', 'added', 'already there', 'compactions', 'skipped', 'file'],
          value.files.map((file) => [
            conversationCell(file),
            file.format,
            file.added,
            file.alreadyThere,
            file.compactions,
            file.skippedCount,
            file.error ? `${file.path}: ${file.error}` : file.path,
          ]),
        ),
        ...value.files.flatMap(conversationLines),
        ...value.files.flatMap((file) =>
          file.skipped.slice(0, 10).map((line) => `${file.path}:${line.line}: ${oneLine(line.reason, 160)}`),
        ),
        ...value.files.flatMap((file) =>
          (file.brokenChains ?? []).map(({ conversationId, text }) => `conversation ${conversationId}: ${text}`),
        ),
        ...value.files.flatMap(({ path, format, newer }) => (newer ? [`${path}: ${newerText(format, newer)}`] : [])),
        ...(conflicts > 0 ? [conflictsText(conflicts)] : []),
        ...value.passedOver.slice(0, 10).map(({ path, reason }) => `${path}: ${oneLine(reason, 160)}`),
        ...(value.passedOverCount > 10
          ? [`… and ${count(value.passedOverCount - 10)} more files that are no transcripts`]
          : []),
        `${plural(value.added, 'message')} added, ${count(value.alreadyThere)} already there${completedText(value.files)}, ${plural(value.skipped, 'line')} skipped`,
      ].join('\n')
    return { json: value, text, exitCode: failed.length > 0 ? EXIT.failed : EXIT.done }
  },
})

/** A stored message is never overwritten, also where an earlier version read its transcript otherwise. */
function conflictsText(conflicts: number): string {
  const [differ, them] = conflicts === 1 ? ['1 message differs', 'it'] : [`${count(conflicts)} messages differ`, 'them']
  return `${differ} from what is stored, which stays: "lcm coverage" names ${them}, and an import into a new file has what the transcript says now`
}

/** What an earlier import found half written. */
function completedText(files: readonly ImportedFile[]): string {
  const completed = files.reduce((sum, file) => sum + file.completed, 0)
  return completed === 0 ? '' : ` (${count(completed)} of them complete now)`
}

const newerText = (format: string, { written, tried }: NewerVersion): string =>
  `version ${written} of ${format} wrote it, and the newest that was tried is ${tried}: lcm coverage says whether all of it is there`

/** At most this many conversations of a file are named. `--json` names all. */
const NAMED_CONVERSATIONS = 20

function conversationCell({ conversationId, conversationCount }: ImportedFile): string {
  if (conversationId === null) return '–'
  return conversationCount > 1 ? `${conversationId} and ${count(conversationCount - 1)} more` : String(conversationId)
}

function conversationLines({ path, conversations, conversationCount }: ImportedFile): string[] {
  const named = conversations.slice(0, NAMED_CONVERSATIONS)
  const rest = conversationCount - named.length
  return [
    ...named.map(
      ({ conversationId, title, added }) =>
        `conversation ${conversationId}: ${oneLine(title ?? 'without a title', 80)} (${count(added)} added)`,
    ),
    ...(rest > 0 ? [`… and ${count(rest)} more conversations of ${path}`] : []),
  ]
}

type Request = {
  readonly paths: readonly GivenTranscript[]
  readonly format: TranscriptFormat
  readonly window: ImportWindow
}

/** @param afterwards what is done with the large files that the import has added */
async function importInto(
  options: MemoryOptions,
  request: Request,
  afterwards: (lcm: Lcm, fileIds: readonly string[]) => Promise<void> = describeAfterImport,
): Promise<ImportResult> {
  const { importTranscripts } = await import('#core/ingest/transcripts/import-transcripts.ts')
  return withMemory(
    options,
    async (lcm) => {
      const { requireWrite, estimator, clock, files } = lcm
      const db = requireWrite('import transcripts')
      const resumeOf = (conversationId: number) => lcm.context.resumeOf(conversationId)
      const result = await interruptible((signal) =>
        importTranscripts({ db, estimator, clock, files, resumeOf, ...request }, signal),
      )
      // Everything is stored by now: whoever does not want to wait for the model stops here without losing anything.
      await afterwards(lcm, result.largeFiles)
      return result
    },
    { create: true },
  )
}

async function describeAfterImport(lcm: Lcm, ids: readonly string[]): Promise<void> {
  if (ids.length === 0 || lcm.settings.explorers.length === 0) return
  try {
    const { kept } = await interruptible((signal) => lcm.explore({ ids: [...ids] }, signal))
    for (const { id, reason } of kept)
      process.stderr.write(`${id} is not described by a model: ${oneLine(reason, 200)}\n`)
  } catch (error) {
    if (!(error instanceof LcmError)) throw error
    process.stderr.write(`Large files are not all described by a model: ${oneLine(error.message, 300)}\n`)
  }
}

/**
 * Imports files that do not look like transcripts into a temporary memory, so that no memory is created for them.
 * Returns null when there is something to import, or when the memory exists.
 */
async function triedAside(options: MemoryOptions, request: Request): Promise<ImportResult | null> {
  const path = resolve(options.db ?? loadSettings(process.env).databasePath)
  if (!isMissingOrEmpty(path)) return null
  const { holdMessages } = await import('#core/ingest/transcripts/holds-messages.ts')
  if (await holdMessages(request.paths, request.format)) return null
  const folder = makeTemporaryFolder('import')
  try {
    const result = await importInto({ ...options, db: join(folder, 'memory.db') }, request, async () => {})
    return result.added > 0 ? null : result
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
