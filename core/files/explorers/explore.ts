import { estimateTokens } from '#core/models/heuristic-tokens.ts'
import { plural, sizeText } from '#core/text.ts'
import { TimeSlice, throwIfCancelled } from '#core/yielding.ts'
import { exploreBinary } from './binary.ts'
import { exploreCode } from './code.ts'
import { DecodedFile, type FileSource } from './decoded-file.ts'
import { exploreDiff } from './diff.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { CODE_TYPES, type FileType, TYPE_FACTS } from './file-type.ts'
import { loadGrammar } from './grammars.ts'
import { exploreHtml } from './html.ts'
import { exploreJson, exploreJsonLines } from './json.ts'
import { exploreLog } from './log.ts'
import { exploreNotebook } from './notebook.ts'
import { recognise } from './recognise.ts'
import { shown } from './shown.ts'
import { exploreSql } from './sql.ts'
import { type Findings, summaryText } from './summary-text.ts'
import { exploreTable } from './table.ts'
import { exploreText } from './text.ts'
import { exploreToml } from './toml.ts'
import { exploreXml } from './xml.ts'
import { exploreYaml } from './yaml.ts'

export type Exploration = {
  readonly type: FileType
  /** The mime type that came with the file, or that of its type. */
  readonly mime: string
  /** 200 to 500 tokens where the file has so much to say. The same file always gives the same text. */
  readonly summary: string
  readonly tokens: number
}

const BEGINNING_CHARS = 1500
const MIME = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/

/**
 * Finds out what is in a file, or in the beginning of a long one. Others have their turn in between.
 * @throws LcmError cancelled
 */
export async function* explore(source: FileSource, signal: AbortSignal): AsyncGenerator<void, Exploration> {
  const slice = new TimeSlice(signal)
  const file = new DecodedFile(source)
  const type = recognise(file)
  const work = withFallback(file, await explorerOf(type, source))
  for (;;) {
    throwIfCancelled(signal)
    const step = work.next()
    if (step.done) {
      const summary = summaryText(headingOf(file, type), withBeginning(file, type, withPart(file, step.value)))
      return { type, mime: mimeOf(source, type), summary, tokens: estimateTokens(summary) }
    }
    if (!slice.isOver) continue
    await slice.yield()
    yield
  }
}

const EXPLORERS: { readonly [type in Exclude<FileType, CodeType>]: Explorer } = {
  json: exploreJson,
  jsonl: exploreJsonLines,
  notebook: exploreNotebook,
  csv: exploreTable,
  tsv: exploreTable,
  yaml: exploreYaml,
  toml: exploreToml,
  xml: exploreXml,
  html: exploreHtml,
  sql: exploreSql,
  log: exploreLog,
  diff: exploreDiff,
  markdown: exploreText,
  'pdf-text': exploreText,
  text: exploreText,
  binary: exploreBinary,
  empty: exploreNothing,
}

type CodeType = (typeof CODE_TYPES)[number]
const isCode = (type: FileType): type is CodeType => CODE_TYPES.some((code) => code === type)

/** The grammar of a language is loaded when the first file in it comes. */
const explorerOf = async (type: FileType, { name }: FileSource): Promise<Explorer> =>
  isCode(type) ? exploreCode(await loadGrammar(type, name)) : EXPLORERS[type]

/** A file that its explorer cannot read is described as a text. */
function* withFallback(file: DecodedFile, explorer: Explorer): Generator<void, Findings> {
  try {
    return yield* explorer(file)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const findings = yield* exploreText(file)
    return { ...findings, facts: [`It is described as plain text: ${error.message}.`, ...findings.facts] }
  }
}

// biome-ignore lint/correctness/useYield: there is nothing to read
function* exploreNothing(): Generator<void, Findings> {
  return { facts: ['The file is empty.'], sections: [] }
}

/** A summary that would be short shows how the file begins, unless it shows a part of the text anyway. */
function withBeginning({ head }: DecodedFile, type: FileType, findings: Findings): Findings {
  const { facts, sections } = findings
  if (type === 'binary' || sections.some(({ kind }) => kind === 'excerpt')) return findings
  const text = head.slice(0, BEGINNING_CHARS)
  return { facts, sections: [...sections, { kind: 'excerpt', title: 'It begins with', text, use: 'more' }] }
}

/** Says first how much of a long file was read. */
function withPart({ source, partBytes }: DecodedFile, { facts, sections }: Findings): Findings {
  if (partBytes === null) return { facts, sections }
  const part = `It was read only in part: the first ${sizeText(partBytes)} of ${sizeText(source.sizeBytes)}.`
  return { facts: [part, ...facts], sections }
}

function headingOf({ source, notes }: DecodedFile, type: FileType): string {
  const name = source.name === null ? '' : ` ${shown(source.name, 80)}`
  return [`${TYPE_FACTS[type].title}${name}`, plural(source.sizeBytes, 'byte'), ...notes].join(', ')
}

const mimeOf = ({ mime }: FileSource, type: FileType): string =>
  mime !== null && MIME.test(mime) ? mime : TYPE_FACTS[type].mime
