import type { Clock } from '../clock.ts'
import type { ExplorationReport, ExploreInput } from '../contract/file.ts'
import type { JobProgress } from '../contract/job.ts'
import type { FileInfo } from '../contract/lineage.ts'
import { LcmError } from '../errors.ts'
import { DecodedFile } from '../files/explorers/decoded-file.ts'
import { recognise } from '../files/explorers/recognise.ts'
import type { FileReader } from '../files/file-reader.ts'
import { exploreByModel } from '../files/model-exploration.ts'
import { filePieces } from '../files/stored-path.ts'
import { SummarizerFailure } from '../models/summarizers/summarizer.ts'
import type { ConfiguredSummarizers } from '../settings/configured-summarizers.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { modelExploration, storeModelExploration } from '../systems/records/explorations.ts'
import { allFiles, fileById } from '../systems/records/files.ts'
import { throwIfCancelled } from '../yielding.ts'

/** The types of texts that have no structure which a program could describe. */
const UNSTRUCTURED: ReadonlySet<string> = new Set(['markdown', 'pdf-text', 'text'])

export type ExploreOptions = {
  readonly requireWrite: (what: string) => WriteDb
  readonly reader: FileReader
  readonly summarizers: ConfiguredSummarizers
  /** The names of the summarisers that are asked in order when none is named. */
  readonly explorers: readonly string[]
  readonly clock: Clock
}

/**
 * Asks models to describe large files of Markdown, plain text and text of PDFs. Each description is stored as soon as it
 * arrives, in addition to the summary that was made without a model. If no model answers, the file has only that summary.
 * @throws LcmError not_found for an id that is no large file; invalid_argument when no model is named;
 * read_only_dialect, read_only_file; cancelled
 */
export async function* exploreFiles(
  { requireWrite, reader, summarizers, explorers, clock }: ExploreOptions,
  { ids, summarizer, again: isAgain = false }: ExploreInput,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ExplorationReport> {
  const providers = summarizers.accessFor(...(summarizer === undefined ? explorers : [summarizer]))
  if (providers.length === 0) {
    throw new LcmError(
      'invalid_argument',
      'No model is named that could describe texts: name a configured provider with --summarizer, or with LCM_EXPLORERS (docs/models.md).',
    )
  }
  const db = requireWrite('store what a model says of files')
  const files = ids?.map((id) => fileById(db, id) ?? unknown(id)) ?? allFiles(db)
  const report = { explored: [], kept: [], passedOver: 0 } as Mutable<ExplorationReport>
  for (const [done, file] of files.entries()) {
    yield { done, total: files.length, unit: 'steps', note: file.fileName ?? file.id }
    const path = await textToExplore(file, reader, signal)
    if (path === null || (!isAgain && modelExploration(db, file.id) !== null)) {
      report.passedOver += 1
      continue
    }
    try {
      const text = { name: file.fileName ?? file.id, mime: file.mimeType, deterministic: file.explorationSummary ?? '' }
      const { summary, model } = await exploreByModel(providers, { ...text, ...path }, signal)
      storeModelExploration(db, file.id, { text: summary, model, createdAtMs: clock() })
      report.explored.push({ id: file.id, model })
    } catch (error) {
      throwIfCancelled(signal, 'Cancelled. Descriptions that were finished are kept.')
      if (!(error instanceof SummarizerFailure)) throw error
      report.kept.push({ id: file.id, reason: error.message })
    }
  }
  return report
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] extends readonly (infer One)[] ? One[] : T[key] }

/** Returns where the content of a file is, or null when it is no text for a model. */
async function textToExplore(
  { id, fileName, mimeType }: FileInfo,
  reader: FileReader,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly bytes: number } | null> {
  const { path, bytes, condition } = await reader.check(id, signal)
  if (path === null || bytes === null || (condition !== 'sound' && condition !== 'unchecked')) return null
  const source = { name: fileName, mime: mimeType, sizeBytes: bytes, chunks: () => filePieces(path) }
  return UNSTRUCTURED.has(recognise(new DecodedFile(source))) ? { path, bytes } : null
}

function unknown(id: string): never {
  throw new LcmError('not_found', `${id} is no large file: "lcm files" lists them.`, { id })
}
