// Why it is so: docs/decisions/0023-lines-of-files.md

import { z } from 'zod'
import type { FileInfo } from '#core/contract/lineage.ts'
import type { GrepHit, GrepInput, GrepResult, GrepStep } from '#core/contract/retrieval.ts'
import { badCursor, decodeCursor, encodeCursor } from '#core/cursor.ts'
import { FILE_START } from '#core/files/line-runs.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { contentsOnServer } from '#core/systems/opening/pulled-from.ts'
import { allFiles, fileRow } from '#core/systems/records/files.ts'
import { TimeSlice } from '#core/yielding.ts'
import { compareTimes } from '../indexes/catalogue.ts'
import { expressionPlan, type Plan } from '../planning/plan.ts'
import { type Query, queryHash } from '../planning/plan-query.ts'
import { type FileHit, hitsInContent, hitsInName, NAME_ROW } from './file-hits.ts'
import { type SearchedFile, searchedFile } from './searched-files.ts'

const Cursor = z.object({
  /** The hash of the question. */
  grep: z.string(),
  /** How many hits all pages so far have given. */
  given: z.int().min(1),
  total: z.int(),
  isExact: z.boolean(),
  isLoosened: z.boolean(),
  /** The last hit that was given, and the run of lines in which it is. */
  after: z.object({
    id: z.string(),
    row: z.int(),
    score: z.number(),
    run: z.object({ offset: z.int().min(0), row: z.int().min(0), line: z.int().min(1) }),
  }),
})
type Cursor = z.infer<typeof Cursor>

type Found = { readonly file: number; readonly hit: FileHit }

/** The hits of a page, and how many there are. */
type Page = {
  readonly hits: Found[]
  /** Numbers of the files that could not be read. */
  readonly unread: Set<number>
  found: number
  isFull: boolean
  isDone: boolean
  readBytes: number
}

const emptyPage = (): Page => ({
  hits: [],
  unread: new Set(),
  found: 0,
  isFull: false,
  isDone: false,
  readBytes: 0,
})

/** How long a search goes on. */
export type Patience = {
  /** A stream reports what it has found no more often than this. */
  readonly everyMs: number
  /** How long hits are counted once the page is full. */
  readonly countMs: number
}

/** How many files are named that could not be read. */
const NAMED = 3

export type FileGrepOptions = {
  /** The folder of large files that is configured, or null. */
  readonly filesDir: string | null
}

/**
 * Searches large files: their names, their exploration summaries, and every line of their contents. Files are read one
 * after the other, so that hits are given while others are still being looked for.
 */
export class FileGrep {
  readonly #db: ReadDb
  readonly #options: FileGrepOptions

  constructor(db: ReadDb, options: FileGrepOptions) {
    this.#db = db
    this.#options = options
  }

  /** Yields the answer while it grows. @throws LcmError cancelled, invalid_argument, pattern_too_slow */
  async *steps(
    input: GrepInput,
    query: Query,
    { everyMs, countMs, allows }: Patience & { readonly allows?: ((id: string) => boolean) | undefined },
    signal?: AbortSignal,
  ): AsyncGenerator<GrepStep, void> {
    const began = performance.now()
    const cursor = input.cursor === undefined ? null : decodeCursor(input.cursor, Cursor)
    if (cursor && cursor.grep !== queryHash(input)) throw badCursor('it belongs to another search')
    const files = this.#files(input, allows)
    const notes = [...query.notes]
    if (input.roles || input.depths) notes.push('Only messages have a role, only summaries a depth: nothing is left.')
    const slice = new TimeSlice(signal, 'The search was cancelled.')
    const allBytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
    let page = emptyPage()
    let isLoosened = false
    let sort: GrepResult['sort'] = 'newest'
    let given = 0
    let toldAt = performance.now()
    const step = (): Omit<GrepStep, 'result'> => {
      const news = page.hits.slice(given)
      given = page.hits.length
      toldAt = performance.now()
      const hits = news.map(({ file, hit }) => hitOf((files[file] as SearchedFile).info, hit, query))
      return { hits, found: page.found, scanned: Math.min(page.readBytes, allBytes), rows: allBytes }
    }
    for (const { plan, isLoose } of plansOf(input, query, cursor)) {
      if (isLoose && page.found > 0) break
      isLoosened = isLoose
      const asked = input.sort ?? (isLoose || input.match === 'question' ? 'relevance' : 'newest')
      const isRanked = asked === 'relevance' && plan.hasOptional
      sort = isRanked || asked === 'oldest' ? asked : 'newest'
      let fullAt: number | null = null
      const order = { isRanked, limit: input.limit, after: cursor?.after ?? null }
      for await (page of pages(files, plan, order, slice)) {
        if (page.isFull) fullAt ??= performance.now()
        if (cursor?.isExact && page.isFull) break
        if (fullAt !== null && performance.now() - fullAt >= countMs) break
        const isFirstPage = page.isFull && given < page.hits.length && Number.isFinite(everyMs)
        // Hits that are ranked may still be replaced by better ones.
        if (!isRanked && (isFirstPage || performance.now() - toldAt >= everyMs)) yield { ...step(), result: null }
      }
    }
    if (isLoosened && page.found > 0) {
      notes.push('No line has all the words; the lines with most of them come first.')
    }
    const unread = files.filter((_, number) => page.unread.has(number))
    const isOnServer = contentsOnServer(this.#db)
    const [left = [], lost = []] = [true, false].map((isLeft) =>
      unread.filter(({ info }) => {
        const row = fileRow(this.#db, info.id)
        return (row !== undefined && isOnServer(row)) === isLeft
      }),
    )
    if (left.length > 0) notes.push(unreadNote(left, true))
    if (lost.length > 0) notes.push(unreadNote(lost, false))
    const before = cursor?.given ?? 0
    const counted = before + page.found
    const isExact = page.isDone || cursor?.isExact === true
    const total = cursor?.isExact ? cursor.total : Math.max(counted, page.isDone ? 0 : (cursor?.total ?? 0))
    const givenNow = before + page.hits.length
    const last = page.hits.at(-1)
    const nextCursor =
      last !== undefined && (!isExact || givenNow < total)
        ? encodeCursor({
            grep: queryHash(input),
            ...{ given: givenNow, total, isExact, isLoosened },
            after: {
              id: (files[last.file] as SearchedFile).info.id,
              ...{ row: last.hit.row, score: last.hit.score, run: last.hit.run },
            },
          } satisfies Cursor)
        : null
    const result = { total, totalIsExact: isExact, nextCursor, sort, notes, tookMs: performance.now() - began }
    yield { ...step(), result }
  }

  /** Returns the files that the filters let pass, in the order in which their hits are given. */
  #files(input: GrepInput, allows: ((id: string) => boolean) | undefined): SearchedFile[] {
    const { conversationIds, afterMs, beforeMs, roles, depths, inContext, within, fromMessage, toMessage, sort } = input
    const isOfNodes = within !== undefined || fromMessage !== undefined || toMessage !== undefined
    if (roles || depths || inContext === true || isOfNodes) return []
    const conversations = conversationIds && new Set(conversationIds)
    const direction = sort === 'oldest' ? 1 : -1
    return allFiles(this.#db)
      .filter(
        ({ id, conversationId, createdAtMs }) =>
          (allows?.(id) ?? true) &&
          (!conversations || conversations.has(conversationId)) &&
          (afterMs === undefined || (createdAtMs ?? Number.NEGATIVE_INFINITY) >= afterMs) &&
          (beforeMs === undefined || (createdAtMs !== null && createdAtMs <= beforeMs)),
      )
      .map((info, row) => ({ info, row }))
      .sort((a, b) => direction * (compareTimes(timeOf(a.info), timeOf(b.info)) || a.row - b.row))
      .map(({ info }) => searchedFile(this.#db, this.#options.filesDir, info))
  }
}

const timeOf = ({ createdAtMs }: FileInfo): number => createdAtMs ?? Number.NEGATIVE_INFINITY

/** Returns the plan as it was asked for and, where the question may be loosened, the one for any of its words. */
function plansOf(
  { match }: GrepInput,
  { strict, loose, isPlain }: Query,
  cursor: Cursor | null,
): readonly { readonly plan: Plan; readonly isLoose: boolean }[] {
  if ((match === 'any' || match === 'question') && loose) return [{ plan: expressionPlan(loose), isLoose: false }]
  const asked = { plan: strict, isLoose: false }
  if (!loose || !isPlain || match !== 'auto') return [asked]
  const any = { plan: expressionPlan(loose), isLoose: true }
  return cursor === null ? [asked, any] : [cursor.isLoosened ? any : asked]
}

type Order = {
  /** Lines with more of the terms come first. */
  readonly isRanked: boolean
  readonly limit: number
  readonly after: Cursor['after'] | null
}

/** Reads the files in their order and yields the page as it grows. */
async function* pages(
  files: readonly SearchedFile[],
  plan: Plan,
  { isRanked, limit, after }: Order,
  slice: TimeSlice,
): AsyncGenerator<Page> {
  const page = emptyPage()
  const last = after && { file: files.findIndex(({ info }) => info.id === after.id), ...after }
  if (last?.file === -1) throw badCursor('the file at which it continues is not there any more')
  const take = (file: number, hits: readonly FileHit[]): void => {
    for (const hit of hits) {
      const found = { file, hit }
      if (!isRanked) {
        if (last && compare(found, last) <= 0) continue
        page.found += 1
        if (page.hits.length < limit) page.hits.push(found)
        continue
      }
      if (last && compareRanked(found, last) <= 0) continue
      page.found += 1
      insert(page.hits, found, limit)
    }
    page.isFull = !isRanked && page.hits.length === limit
  }
  for (const [number, file] of files.entries()) {
    if (!isRanked && last && number < last.file) {
      page.readBytes += file.bytes
      continue
    }
    const from = !isRanked && last?.file === number ? last.run : FILE_START
    if (from.offset === 0) take(number, await hitsInName(file, plan, FILE_START))
    const before = page.readBytes
    page.readBytes += from.offset
    yield page
    if (file.path === null) page.unread.add(number)
    else {
      try {
        for await (const { hits, readBytes } of hitsInContent(file.path, plan, from, slice)) {
          take(number, hits)
          page.readBytes += readBytes
          yield page
        }
      } catch (error) {
        // The system refuses to read it, or it went away meanwhile. Any other error is not about the file.
        if (!(error instanceof Error && 'syscall' in error)) throw error
        page.unread.add(number)
      }
    }
    page.readBytes = before + file.bytes
  }
  page.isDone = true
  page.isFull = true
  yield page
}

type Place = { readonly file: number; readonly row: number; readonly score: number }

const placeOf = ({ file, hit }: Found): Place => ({ file, row: hit.row, score: hit.score })
const comparePlaces = (a: Place, b: Place): number => a.file - b.file || a.row - b.row
const compare = (found: Found, place: Place): number => comparePlaces(placeOf(found), place)
const compareRanked = (found: Found, place: Place): number => place.score - found.hit.score || compare(found, place)

/** Keeps the best hits in order. */
function insert(best: Found[], found: Found, limit: number): void {
  if (best.length === limit && compareRanked(found, placeOf(best[limit - 1] as Found)) > 0) return
  const at = best.findLastIndex((other) => compareRanked(found, placeOf(other)) > 0) + 1
  best.splice(at, 0, found)
  if (best.length > limit) best.pop()
}

function hitOf(info: FileInfo, hit: FileHit, { strict, loose }: Query): GrepHit {
  const { snippet, matches } = hit.snippet()
  return {
    ...{ id: info.id, kind: 'file', conversationId: info.conversationId, createdAtMs: info.createdAtMs },
    ...{ seq: null, role: null, depth: null, field: 'content', snippet, matches },
    ...{ coveredBy: [], coverInWindow: null, isSeenInCover: false, inContext: false },
    ...(hit.row === NAME_ROW || hit.line === null ? {} : { row: hit.row, line: hit.line }),
    isPartial: loose !== null && !hit.matches(strict.matcher),
  }
}

function unreadNote(files: readonly SearchedFile[], isOnServer: boolean): string {
  const named = files.slice(0, NAMED).map(({ info }) => info.id)
  const more = files.length > NAMED ? ', …' : ''
  const [are, next] = isOnServer
    ? ['are on the server', 'Open a file to copy its content, or copy all by "lcm pull".']
    : ['could not be read', '"lcm file" says why.']
  return `The contents of ${files.length === 1 ? 'a large file' : `${files.length} large files`} ${are} and were not searched: ${named.join(', ')}${more}. ${next}`
}
