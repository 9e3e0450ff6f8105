import { estimateTokens } from '../../models/heuristic-tokens.ts'
import { TimeSlice, throwIfCancelled } from '../../yielding.ts'
import { DecodedFile } from './decoded-file.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import type { FileSource } from './file-source.ts'
import { type FileType, TYPE_FACTS } from './file-type.ts'
import { exploreJson, exploreJsonLines } from './json.ts'
import { recognise } from './recognise.ts'
import { countOf, shown } from './shown.ts'
import { type Findings, summaryText } from './summary-text.ts'
import { exploreText } from './text.ts'

export type Exploration = {
  readonly type: FileType
  /** The mime type that came with the file, or that of its type. */
  readonly mime: string
  /** 200 to 500 tokens where the file has so much to say. The same file always gives the same text. */
  readonly summary: string
  readonly tokens: number
}

const MIME = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/

/**
 * Finds out what is in a file without keeping it in memory. Others have their turn in between.
 * @throws LcmError cancelled
 */
export async function* explore(source: FileSource, signal: AbortSignal): AsyncGenerator<void, Exploration> {
  const slice = new TimeSlice(signal)
  const file = new DecodedFile(source)
  const type = recognise(file)
  const work = withFallback(file, type)
  for (;;) {
    throwIfCancelled(signal)
    const step = work.next()
    if (step.done) {
      const summary = summaryText(headingOf(file, type), step.value)
      return { type, mime: mimeOf(source, type), summary, tokens: estimateTokens(summary) }
    }
    if (!slice.isOver) continue
    await slice.yield()
    yield
  }
}

const EXPLORERS: { readonly [type in FileType]?: Explorer } = {
  json: exploreJson,
  jsonl: exploreJsonLines,
  empty: exploreNothing,
  binary: exploreNothing,
}

/** A file that its explorer cannot read is described as a text. */
function* withFallback(file: DecodedFile, type: FileType): Generator<void, Findings> {
  try {
    return yield* (EXPLORERS[type] ?? exploreText)(file)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const findings = yield* exploreText(file)
    return { ...findings, facts: [`It is described as plain text: ${error.message}.`, ...findings.facts] }
  }
}

// biome-ignore lint/correctness/useYield: there is nothing to read
function* exploreNothing({ source: { sizeBytes } }: DecodedFile): Generator<void, Findings> {
  return { facts: [sizeBytes === 0 ? 'The file is empty.' : 'The file is no text.'], sections: [] }
}

function headingOf({ source, encodingNote }: DecodedFile, type: FileType): string {
  const name = source.name === null ? '' : ` ${shown(source.name, 80)}`
  const note = encodingNote === null ? '' : `, ${encodingNote}`
  return `${TYPE_FACTS[type].title}${name}, ${countOf(source.sizeBytes, 'byte')}${note}`
}

const mimeOf = ({ mime }: FileSource, type: FileType): string =>
  mime !== null && MIME.test(mime) ? mime : TYPE_FACTS[type].mime
