import type { Role } from '../contract/ids.ts'
import { type Said, squeezed } from './fingerprint.ts'

/** A message that has no equal on the other side, with its text. */
export type Leftover = {
  /** Position on its side. */
  readonly index: number
  readonly role: Role
  readonly text: string
}

/** What became of leftovers that stand between the same neighbours. */
export type GapResult = {
  /** The same after all: wrapped, cut in pieces, joined, or put into a file. */
  readonly same: readonly { readonly left: number; readonly right: readonly number[] }[]
  /** Of these, how many are only a reference to a file that holds the text. */
  readonly inFiles: number
  readonly differing: readonly { readonly left: number; readonly right: number }[]
}

/** What a message says, for comparing and for quoting. */
export const textOf = ({ content, output, calls, reasoning }: Said): string =>
  [content, output, calls.map(({ name, input }) => `${name ?? ''} ${input ?? ''}`).join('\n'), reasoning].find(
    (text) => text.trim() !== '',
  ) ?? ''

const LONGEST_GAP = 400

/** Compares what is left over on both sides of one gap; a longer gap is compared from its beginning. */
export function compareGap(lefts: readonly Leftover[], rights: readonly Leftover[]): GapResult {
  const open = { left: lefts.slice(0, LONGEST_GAP).map(prepare), right: rights.slice(0, LONGEST_GAP).map(prepare) }
  const same = [...sameTexts(open), ...joined(open, 'left'), ...joined(open, 'right')]
  const inFiles = files(open)
  return { same: [...same, ...inFiles], inFiles: inFiles.length, differing: [...similar(open), ...inPlace(open)] }
}

type Prepared = Leftover & { readonly bare: string; isTaken: boolean }
type Open = { readonly left: readonly Prepared[]; readonly right: readonly Prepared[] }
type Same = { readonly left: number; readonly right: readonly number[] }

const prepare = (item: Leftover): Prepared => ({ ...item, bare: squeezed(unwrapped(item.text)), isTaken: false })

/** Without what systems put around a text: tags, reminders, a name or time in brackets before it. */
const unwrapped = (text: string): string =>
  text
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .replace(/<\/?[a-z][\w-]*(?:\s[^<>]*)?>/gi, '')
    .replace(/^\s*\[[^\]\n]{1,80}\]:?\s*/, '')

function sameTexts({ left, right }: Open): Same[] {
  const found: Same[] = []
  for (const one of left) {
    const other = right.find((item) => !item.isTaken && item.bare !== '' && item.bare === one.bare)
    if (!other) continue
    take(one, other)
    found.push({ left: one.index, right: [other.index] })
  }
  return found
}

/** One message here that is several in a row there. */
function joined({ left, right }: Open, whole: 'left' | 'right'): Same[] {
  const [wholes, pieces] = whole === 'left' ? [left, right] : [right, left]
  const found: Same[] = []
  for (const one of wholes) {
    if (one.isTaken || one.bare === '') continue
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
    for (const piece of pieces.slice(from)) {
      if (piece.isTaken || piece.bare === '' || !whole.bare.startsWith(piece.bare, length)) break
      run.push(piece)
      length += piece.bare.length
      if (length === whole.bare.length && run.length > 1) return run
    }
  }
  return null
}

const FILE_REFERENCE =
  /\bfile_[0-9a-f]{16}\b|\[(?:large file|externali[sz]ed|lcm (?:file|payload))|lcm-(?:files|large-outputs)\//i

/** Long text that the system has put into a file, with a reference in its place. */
function files({ left, right }: Open): Same[] {
  const found: Same[] = []
  for (const one of left) {
    if (one.isTaken) continue
    const other = right.find(
      (item) =>
        !item.isTaken &&
        item.bare.length < one.bare.length &&
        FILE_REFERENCE.test(item.text) &&
        !FILE_REFERENCE.test(one.text),
    )
    if (!other) continue
    take(one, other)
    found.push({ left: one.index, right: [other.index] })
  }
  return found
}

const SIMILAR = 0.3

/** The pairs in the same order with the most in common. */
function similar(open: Open): { left: number; right: number }[] {
  const left = open.left.filter(({ isTaken }) => !isTaken)
  const right = open.right.filter(({ isTaken }) => !isTaken)
  if (left.length === 0 || right.length === 0) return []
  const shapes = right.map(({ bare }) => trigrams(bare))
  const gain = left.map((one) => {
    const own = trigrams(one.bare)
    return right.map((other, at) => {
      const likeness = one.role === other.role ? dice(own, shapes[at] ?? new Set()) : 0
      return likeness >= SIMILAR ? likeness : 0
    })
  })
  return bestPairs(gain, left.length, right.length).map(([at, beside]) => {
    const one = left[at] as Prepared
    const other = right[beside] as Prepared
    take(one, other)
    return { left: one.index, right: other.index }
  })
}

function bestPairs(gain: readonly (readonly number[])[], rows: number, columns: number): [number, number][] {
  const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1))
  const at = (row: number, column: number): number => best[row]?.[column] ?? 0
  const gained = (row: number, column: number): number => gain[row]?.[column] ?? 0
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const taken = gained(row, column) > 0 ? gained(row, column) + at(row + 1, column + 1) : 0
      ;(best[row] as Float64Array)[column] = Math.max(taken, at(row + 1, column), at(row, column + 1))
    }
  }
  const pairs: [number, number][] = []
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    const here = at(row, column)
    if (gained(row, column) > 0 && here === gained(row, column) + at(row + 1, column + 1)) {
      pairs.push([row, column])
      row += 1
      column += 1
    } else if (here === at(row + 1, column)) row += 1
    else column += 1
  }
  return pairs
}

/** Between the same neighbours as many of one role are left on both sides: each stands in the place of the other. */
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

function trigrams(text: string): Set<string> {
  const compared = text.slice(0, COMPARED_UNITS)
  const found = new Set<string>()
  for (let at = 0; at + 3 <= compared.length; at += 1) found.add(compared.slice(at, at + 3))
  return found
}

function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let common = 0
  for (const item of a) if (b.has(item)) common += 1
  return (2 * common) / (a.size + b.size)
}
