import type { Role } from '#core/contract/ids.ts'
import { bestPairs } from '../best-pairs.ts'
import { type ComparedMessage, isFileReference, squeezed } from '../fingerprint.ts'

/** A message without an equal on the other side, with its text. */
export type Leftover = {
  /** The position on its own side. */
  readonly index: number
  readonly role: Role
  readonly text: string
}

/** The text of a message, or its beginning when there was no room for all of it. */
export type HeldText = { readonly text: string; readonly isWhole: boolean }

/** The result for leftovers between the same neighbours. */
export type GapResult = {
  /** Messages with equal content in another form: wrapped, split, joined, or moved to a file. */
  readonly same: readonly { readonly left: number; readonly right: readonly number[] }[]
  /** How many of these are only a reference to a file with the text. */
  readonly inFiles: number
  readonly differing: readonly { readonly left: number; readonly right: number }[]
}

/** The text of a message, for comparing and for quoting. */
export const textOf = (said: ComparedMessage): string =>
  [said.content, said.output, callsOf(said), said.reasoning].find((text) => text.trim() !== '') ?? ''

/** The tools that a message calls, with their arguments. */
export const callsOf = ({ calls }: ComparedMessage): string =>
  calls.map(({ name, input }) => `${name ?? ''} ${input ?? ''}`).join('\n')

/** Compares the leftovers of one gap. The caller may yield after each step. */
export function* compareGap(lefts: readonly Leftover[], rights: readonly Leftover[]): Generator<void, GapResult> {
  const open = { left: yield* prepared(lefts), right: yield* prepared(rights) }
  const same = [...sameTexts(open), ...(yield* joined(open, 'left')), ...(yield* joined(open, 'right'))]
  const inFiles = files(open)
  const differing = [...(yield* similar(open)), ...inPlace(open)]
  return { same: [...same, ...inFiles], inFiles: inFiles.length, differing }
}

type Prepared = Leftover & { readonly bare: string; readonly isInFile: boolean; isTaken: boolean }
type Open = { readonly left: readonly Prepared[]; readonly right: readonly Prepared[] }
type Same = { readonly left: number; readonly right: readonly number[] }

function* prepared(items: readonly Leftover[]): Generator<void, Prepared[]> {
  const all: Prepared[] = []
  for (const item of items) {
    const bare = squeezed(unwrapped(item.text))
    all.push({ ...item, bare, isInFile: isFileReference(item.text), isTaken: false })
    yield
  }
  return all
}

/** Removes what systems put around a text: tags, reminders, a name or time in brackets before it. */
const unwrapped = (text: string): string =>
  text
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .replace(/<\/?[a-z][\w-]*(?:\s[^<>]*)?>/gi, '')
    .replace(/^\s*\[[^\]\n]{1,80}\]:?\s*/, '')

function sameTexts({ left, right }: Open): Same[] {
  const waiting = Map.groupBy(right.toReversed(), ({ bare }) => bare)
  return left.flatMap((one): Same[] => {
    const other = one.bare === '' ? undefined : waiting.get(one.bare)?.pop()
    if (!other) return []
    take(one, other)
    return [{ left: one.index, right: [other.index] }]
  })
}

/** Matches one message on one side with several consecutive ones on the other. */
function* joined({ left, right }: Open, whole: 'left' | 'right'): Generator<void, Same[]> {
  const [wholes, pieces] = whole === 'left' ? [left, right] : [right, left]
  const found: Same[] = []
  for (const one of wholes) {
    if (one.isTaken || one.bare === '') continue
    yield
    const run = runOf(one, pieces)
    if (run === null) continue
    take(one, ...run)
    const indexes = run.map(({ index }) => index)
    if (whole === 'left') found.push({ left: one.index, right: indexes })
    else found.push(...indexes.map((index) => ({ left: index, right: [one.index] })))
  }
  return found
}

function runOf(whole: Prepared, pieces: readonly Prepared[]): Prepared[] | null {
  for (let from = 0; from < pieces.length; from += 1) {
    const run: Prepared[] = []
    let length = 0
    for (let at = from; at < pieces.length; at += 1) {
      const piece = pieces[at] as Prepared
      if (piece.isTaken || piece.bare === '' || !whole.bare.startsWith(piece.bare, length)) break
      run.push(piece)
      length += piece.bare.length
      if (length === whole.bare.length && run.length > 1) return run
    }
  }
  return null
}

/**
 * Matches a long text with the reference to the file to which the system moved it. Among several texts it is the
 * longest.
 */
function files({ left, right }: Open): Same[] {
  const longestFirst = left.filter(({ isInFile }) => !isInFile).sort((a, b) => b.bare.length - a.bare.length)
  return right.flatMap((other): Same[] => {
    if (other.isTaken || !other.isInFile) return []
    const one = longestFirst.find(({ isTaken }) => !isTaken)
    if (!one || one.bare.length <= other.bare.length) return []
    take(one, other)
    return [{ left: one.index, right: [other.index] }]
  })
}

const SIMILAR = 0.3

/** Returns the pairs, in the same order on both sides, with the most in common. */
function* similar(open: Open): Generator<void, { left: number; right: number }[]> {
  const left = open.left.filter(({ isTaken }) => !isTaken)
  const right = open.right.filter(({ isTaken }) => !isTaken)
  if (left.length === 0 || right.length === 0) return []
  const shapes: Int32Array[] = []
  for (const { bare } of right) {
    shapes.push(trigrams(bare))
    yield
  }
  const isOwn = new Uint8Array(TRIGRAMS)
  const gain: number[][] = []
  for (const one of left) {
    const own = trigrams(one.bare)
    for (const number of own) isOwn[number] = 1
    gain.push(
      right.map((other, at) => {
        const likeness = one.role === other.role ? dice(own.length, isOwn, shapes[at] as Int32Array) : 0
        return likeness >= SIMILAR ? likeness : 0
      }),
    )
    for (const number of own) isOwn[number] = 0
    yield
  }
  return bestPairs(left.length, right.length, (row, column) => gain[row]?.[column] ?? 0).map(([row, column]) => {
    const one = left[row] as Prepared
    const other = right[column] as Prepared
    take(one, other)
    return { left: one.index, right: other.index }
  })
}

/**
 * When both sides have equally many leftovers of a role between the same neighbours, each one counts as changed into
 * the other.
 */
function inPlace({ left, right }: Open): { left: number; right: number }[] {
  const found: { left: number; right: number }[] = []
  for (const role of ['user', 'assistant', 'tool', 'system'] as const) {
    const ours = left.filter((item) => !item.isTaken && item.role === role)
    const theirs = right.filter((item) => !item.isTaken && item.role === role)
    if (ours.length !== theirs.length) continue
    for (const [at, one] of ours.entries()) {
      const other = theirs[at] as Prepared
      take(one, other)
      found.push({ left: one.index, right: other.index })
    }
  }
  return found
}

function take(...items: readonly Prepared[]): void {
  for (const item of items) item.isTaken = true
}

const COMPARED_UNITS = 4000

/** Trigrams are hashed to 20 bits. Two texts without a common trigram seem to share about 4 in 1,000. */
const TRIGRAMS = 1 << 20

/** Returns the distinct trigrams at the beginning of a text. */
function trigrams(text: string): Int32Array {
  const found = new Set<number>()
  const last = Math.min(text.length, COMPARED_UNITS) - 3
  for (let at = 0; at <= last; at += 1) {
    const mixed =
      Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
      Math.imul(text.charCodeAt(at + 1), 0x85ebca6b) ^
      Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35)
    found.add((mixed ^ (mixed >>> 15)) & (TRIGRAMS - 1))
  }
  return Int32Array.from(found)
}

/** Returns how much two sets have in common, from 0 to 1 (Sørensen–Dice coefficient). */
function dice(size: number, isOwn: Uint8Array, others: Int32Array): number {
  let common = 0
  for (const number of others) common += isOwn[number] ?? 0
  return common === 0 ? 0 : (2 * common) / (size + others.length)
}
