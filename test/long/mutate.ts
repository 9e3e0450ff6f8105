import type { Random } from '../builders/random.ts'

const PAGE_BYTES = 4096
/** More bytes than this are not repeated or put in. */
const LONGEST = 20_000

type Mutation = (bytes: Buffer, random: Random) => Buffer

/** A place and a length within the bytes, at least one byte. */
function piece(bytes: Buffer, random: Random): readonly [number, number] {
  const from = random.int(0, bytes.length)
  return [from, from + 1 + random.int(0, Math.min(LONGEST, bytes.length - from))]
}

function changed(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes)
  change(copy)
  return copy
}

const overwritten = (bytes: Buffer, at: number, by: Uint8Array): Buffer => changed(bytes, (copy) => copy.set(by, at))

const noise = (length: number, random: Random): Buffer => Buffer.from(Array.from({ length }, () => random.int(0, 256)))

const pageOf = (bytes: Buffer, random: Random): number =>
  random.int(0, Math.ceil(bytes.length / PAGE_BYTES)) * PAGE_BYTES

/** What happens to bytes on a disk, on the way, or in the hands of somebody who wants to harm. */
const OF_BYTES: Readonly<Record<string, Mutation>> = {
  'flips bits': (bytes, random) =>
    changed(bytes, (copy) => {
      for (let flips = random.int(1, 30); flips > 0; flips -= 1) {
        const at = random.int(0, copy.length)
        copy[at] = (copy[at] ?? 0) ^ (1 << random.int(0, 8))
      }
    }),
  'flips a bit of the first page': (bytes, random) =>
    changed(bytes, (copy) => {
      const at = random.int(0, Math.min(PAGE_BYTES, copy.length))
      copy[at] = (copy[at] ?? 0) ^ (1 << random.int(0, 8))
    }),
  'cuts the end off': (bytes, random) => bytes.subarray(0, random.int(0, bytes.length)),
  'cuts a piece out': (bytes, random) => {
    const [from, to] = piece(bytes, random)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  },
  'repeats a piece': (bytes, random) => {
    const [from, to] = piece(bytes, random)
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)])
  },
  'puts noise over a piece': (bytes, random) => {
    const [from, to] = piece(bytes, random)
    return overwritten(bytes, from, noise(Math.min(200, to - from), random))
  },
}

const OF_PAGES: Readonly<Record<string, Mutation>> = {
  'fills a page with zeros': (bytes, random) => {
    const at = pageOf(bytes, random)
    return changed(bytes, (copy) => copy.fill(0, at, Math.min(copy.length, at + PAGE_BYTES)))
  },
  'puts a page in the place of another': (bytes, random) => {
    const from = pageOf(bytes, random)
    const page = bytes.subarray(from, from + PAGE_BYTES)
    const to = Math.min(pageOf(bytes, random), bytes.length - page.length)
    return overwritten(bytes, to, page)
  },
  'changes a number at the start of a page': (bytes, random) => {
    const at = Math.min(pageOf(bytes, random) + random.int(0, 40), bytes.length - 1)
    return overwritten(bytes, at, noise(1, random))
  },
}

const byLines =
  (change: (lines: string[], random: Random) => string[]): Mutation =>
  (bytes, random) =>
    Buffer.from(change(bytes.toString('latin1').split('\n'), random).join('\n'), 'latin1')

const OF_LINES: Readonly<Record<string, Mutation>> = {
  'leaves a line out': byLines((lines, random) => lines.toSpliced(random.int(0, lines.length), 1)),
  'repeats a line': byLines((lines, random) => lines.toSpliced(random.int(0, lines.length), 0, random.pick(lines))),
  'swaps two lines': byLines((lines, random) => {
    const [a, b] = [random.int(0, lines.length), random.int(0, lines.length)]
    return lines.with(a, lines[b] ?? '').with(b, lines[a] ?? '')
  }),
  'cuts a line': byLines((lines, random) => {
    const at = random.int(0, lines.length)
    return lines.with(at, (lines[at] ?? '').slice(0, random.int(0, 80)))
  }),
  'puts another value in': byLines((lines, random) => {
    const at = random.int(0, lines.length)
    const value = random.pick(['null', '-1', '1e999', '[]', '{}', '""', '"\\ud800"', '[[[[[[[[]]]]]]]]', 'true'])
    const places = [...(lines[at] ?? '').matchAll(/"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+(?:\.\d+)?|null|true|false/g)]
    const place = places.length > 0 ? random.pick(places) : undefined
    if (place === undefined) return lines
    const line = lines[at] ?? ''
    return lines.with(at, line.slice(0, place.index) + value + line.slice(place.index + place[0].length))
  }),
}

/** Changes bytes in one way, or in several one after the other, and says how. */
export function mutate(bytes: Buffer, kind: 'database' | 'transcript', random: Random): { bytes: Buffer; how: string } {
  const ways = Object.entries({ ...OF_BYTES, ...(kind === 'database' ? OF_PAGES : OF_LINES) })
  let mutated = bytes
  const how: string[] = []
  for (let times = random.chance(0.7) ? 1 : random.int(2, 5); times > 0 && mutated.length > 0; times -= 1) {
    const [name, mutation] = random.pick(ways)
    mutated = mutation(mutated, random)
    how.push(name)
  }
  return { bytes: mutated, how: how.join(', then ') }
}
