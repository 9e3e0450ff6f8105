// Measures how long a question takes among vectors, and how well their signs find the nearest ones:
// node test/perf/measure-vectors.ts [pieces] [dimensions …]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignTable } from '#core/search/meaning/sign-table.ts'
import { VectorFile } from '#core/search/meaning/vector-file.ts'
import { TimeSlice } from '#core/yielding.ts'
import { processorClock } from '../builders/busy-machine.ts'

const [pieces = 200_000, ...given] = process.argv.slice(2).map(Number)
const QUESTIONS = 12
const TOPICS = 2000

/** The same numbers at every run. https://en.wikipedia.org/wiki/Xorshift */
let state = 88172645
function random(): number {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return (state >>> 0) / 2 ** 32 - 0.5
}

function normalised(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number)
  return sum
}

/** Texts are about topics, each in its own way. */
const near = (topic: Float32Array, spread: number): Float32Array =>
  normalised(topic.map((value) => value + (random() * spread) / Math.sqrt(topic.length)))

for (const dimensions of given.length > 0 ? given : [384, 1024]) {
  const folder = mkdtempSync(join(tmpdir(), 'vectors-'))
  const file = VectorFile.openOrCreate(join(folder, 'measured.vectors'))
  const memory = file.addMemory('/measured')
  const topics = Array.from({ length: TOPICS }, () => normalised(Float32Array.from({ length: dimensions }, random)))
  const topicOf = (at: number): Float32Array => topics[at % TOPICS] as Float32Array
  const all: Float32Array[] = []
  for (let row = 0; row < pieces; row += 1000) {
    const vectors = new Map<string, Float32Array>()
    const rows = Array.from({ length: 1000 }, (_, at) => {
      const hash = Buffer.alloc(16)
      hash.writeUInt32BE(row + at)
      const vector = near(topicOf(row + at), 5)
      all.push(vector)
      vectors.set(hash.toString('hex'), vector)
      return { row: row + at + 1, pieces: [{ hash, text: '' }] }
    })
    file.store(memory, 'message', rows, vectors)
  }
  const clock = processorClock()
  let began = clock()
  const table = await SignTable.load(file, memory, 'message', dimensions, new TimeSlice())
  console.log(
    `${pieces} × ${dimensions}: ${(file.bytes() / 1e6).toFixed(0)} MB, signs read in ${Math.round(clock() - began)} ms`,
  )
  const times: number[] = []
  const compared: number[] = []
  let found = 0
  for (let n = 0; n < QUESTIONS; n += 1) {
    const question = near(topicOf(n * 97), 3)
    began = clock()
    const places = await table.nearest(question, 512, () => true, new TimeSlice())
    const vectors = file.vectors(places.map((place) => table.vectors[place] as number))
    times.push(clock() - began)
    began = clock()
    const cosines = all.map((vector, at) => ({ at, cosine: product(vector, question) }))
    compared.push(clock() - began)
    const nearest = cosines.sort((a, b) => b.cosine - a.cosine).slice(0, 64)
    const seen = new Set(places.filter((place) => vectors.has(table.vectors[place] as number)))
    found += nearest.filter(({ at }) => seen.has(at)).length / 64
  }
  const at = (some: readonly number[], share: number): string =>
    (some.toSorted((a, b) => a - b)[Math.floor(share * (some.length - 1))] ?? 0).toFixed(0)
  console.log(
    `  a question: p50 ${at(times, 0.5)} ms, p95 ${at(times, 0.95)} ms; comparing all: p50 ${at(compared, 0.5)} ms`,
  )
  console.log(`  of the 64 nearest ${(found / QUESTIONS).toFixed(3)} are found`)
  file.close()
  rmSync(folder, { recursive: true })
}
