import { ROW_BYTES } from '#core/contract/file.ts'
import { type LineRun, lineRuns, RowPlaces, type RowStart } from '#core/files/line-runs.ts'
import type { TimeSlice } from '#core/yielding.ts'
import type { Plan } from '../planning/plan.ts'
import { FoldedText, type Matcher } from '../query/matcher.ts'
import { type Snippet, snippetOf, snippetOfLine } from '../snippet.ts'
import type { SearchedFile } from './searched-files.ts'

const NEWLINE = 10

/** A row of a file in which a match begins, or a match in its name or exploration summary. */
export type FileHit = {
  /** The row of the file, or −1 for its name and summary. */
  readonly row: number
  readonly line: number | null
  /** How many of the terms the line has. */
  readonly score: number
  /** Where the run of lines begins in which it was found. */
  readonly run: RowStart
  readonly matches: (matcher: Matcher) => boolean
  readonly snippet: () => Snippet
}

/** What was found in the next piece of a file. */
export type FileStep = { readonly hits: readonly FileHit[]; readonly readBytes: number }

export const NAME_ROW = -1

/** Returns what is found in the name and the exploration summary, at most one hit. */
export async function hitsInName({ info }: SearchedFile, { matcher }: Plan, run: RowStart): Promise<FileHit[]> {
  const text = [info.fileName, info.explorationSummary].filter((part) => part !== null).join('\n')
  if (text === '' || !(await matchingLines([text], matcher))[0]) return []
  return [hitIn(text, { row: NAME_ROW, line: null }, matcher, run, () => snippetOf([text], matcher))]
}

/**
 * Looks through the content of a file from a row on, line by line, and yields to other work. Runs of lines that hold no
 * match, which are most of a large file, are passed over as a whole.
 */
export async function* hitsInContent(
  path: string,
  { matcher, holds }: Plan,
  from: RowStart,
  slice: TimeSlice,
): AsyncGenerator<FileStep> {
  let lastRow = NAME_ROW
  let reached = from.offset
  for (const run of lineRuns(path, from)) {
    await slice.yieldIfOver()
    const mayMatch = (holds === null || run.text.includes(holds)) && matcher.mayMatchIn(run.text)
    const found = mayMatch ? await hitsInRun(run, matcher) : []
    // Pieces of a very long line overlap.
    const hits = found.filter(({ row }) => row > lastRow)
    lastRow = hits.at(-1)?.row ?? lastRow
    const end = run.start.offset + run.bytes.length
    yield { hits, readBytes: Math.max(0, end - reached) }
    reached = Math.max(reached, end)
  }
}

async function hitsInRun(run: LineRun, matcher: Matcher): Promise<FileHit[]> {
  const lines = run.text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  const isHit = await matchingLines(lines, matcher)
  const places = new RowPlaces(run)
  const hits: FileHit[] = []
  let [offset, reached] = [0, 0]
  for (const [number, line] of lines.entries()) {
    if (!isHit[number]) continue
    for (; reached < number; reached += 1) offset = run.bytes.indexOf(NEWLINE, offset) + 1
    hits.push(...hitsInLine(line, offset, places, matcher, run.start))
  }
  return hits
}

async function matchingLines(lines: readonly string[], matcher: Matcher): Promise<readonly boolean[]> {
  if (!matcher.elsewhere) return lines.map((line) => matcher.matches([line]))
  const isHit = await matcher.elsewhere.judge(lines.map((line) => [line]))
  await matcher.elsewhere.look(lines.filter((_, number) => isHit[number]))
  return isHit
}

/** A line that is longer than a row has a hit for each of its rows in which a match begins. */
function hitsInLine(line: string, offset: number, places: RowPlaces, matcher: Matcher, run: RowStart): FileHit[] {
  if (line.length * 3 < ROW_BYTES) {
    return [hitIn(line, places.of(offset), matcher, run, () => snippetOfLine(line, matcher, null))]
  }
  const hits: FileHit[] = []
  let [from, at] = [0, offset]
  for (const { start } of matcher.find(line, Number.POSITIVE_INFINITY)) {
    at += Buffer.byteLength(line.slice(from, start))
    from = start
    const place = places.of(at)
    if (hits.at(-1)?.row === place.row) continue
    hits.push(hitIn(line, place, matcher, run, () => snippetOfLine(line, matcher, start)))
  }
  // A pattern may match an empty text, which is nowhere.
  return hits.length > 0 ? hits : [hitIn(line, places.of(offset), matcher, run, () => snippetOfLine(line, matcher, 0))]
}

const hitIn = (
  text: string,
  { row, line }: Pick<FileHit, 'row' | 'line'>,
  matcher: Matcher,
  run: RowStart,
  snippet: () => Snippet,
): FileHit => ({
  row,
  line,
  score: matcher.termCount === 1 ? 1 : matcher.holding([new FoldedText(text)]).filter(Boolean).length,
  run,
  matches: (other) => other.matches([text]),
  snippet,
})
