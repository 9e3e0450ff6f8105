import { spawn } from 'node:child_process'
import { cpus } from 'node:os'
import { createInterface } from 'node:readline'
import { WORKS, type Work } from './works.ts'

/** What is tried, each kind in processes of its own (`case-process.ts`). */
export type Kind = 'kills' | 'losses of power' | 'full disks' | 'mutations'

/** The cases that a process tries: of a kind, those from `from` on and before `to`. Everything follows from the seed. */
export type AskedCases = {
  readonly seed: number
  readonly from: number
  readonly to: number
  /** Losses of power and full disks: the work, and of so many of its writes one is cut off. */
  readonly work?: Work
  readonly every?: number
}

/** What a process says of a case, as JSON in a line: that it begins, and what was wrong. */
export type CaseLine =
  /** `name` is the case as a person can repeat it. */
  | { readonly begins: string }
  | {
      readonly name: string
      readonly faults: readonly string[]
      /** What is counted beside the cases. */
      readonly counted?: string
    }

/** What came of many cases of a kind. `first` names the first case with a fault so that it can be repeated. */
export type Outcome = {
  readonly kind: string
  readonly cases: number
  readonly faults: number
  readonly first: string | null
  readonly seconds: number
  /** What was counted beside the cases. */
  readonly note: string
}

/** More faults of a kind are only counted. */
const MOST_SAID = 10
/** A process that says nothing for so long hangs. */
const HANGS_MS = 120_000

/** Collects the outcome of the cases of a kind, and shows how far they are. */
export class Tally {
  cases = 0
  faults = 0
  readonly #kind: string
  readonly #say: (line: string) => void
  readonly #beganMs = performance.now()
  #first: string | null = null
  #saidMs = 0

  constructor(kind: string, say: (line: string) => void) {
    this.#kind = kind
    this.#say = say
  }

  /** Adds a case. `name` is the case as a person can repeat it. */
  add(name: string, faults: readonly string[]): void {
    this.cases += 1
    if (faults.length > 0) {
      this.faults += 1
      this.#first ??= `${name}: ${faults.join('; ')}`
      if (this.faults <= MOST_SAID) this.#say(`FAULT ${this.#kind}, ${name}: ${faults.join('; ')}`)
    }
    if (performance.now() - this.#saidMs < 10_000) return
    this.#saidMs = performance.now()
    this.#say(`${this.#kind}: ${this.cases} cases, ${this.faults} with a fault`)
  }

  outcome(note = ''): Outcome {
    const seconds = (performance.now() - this.#beganMs) / 1000
    return { kind: this.#kind, cases: this.cases, faults: this.faults, first: this.#first, seconds, note }
  }
}

/** Cuts the cases from `from` on into parts of at most `together`, which share a process. */
export function partsOf(asked: AskedCases, together: number): AskedCases[] {
  const parts: AskedCases[] = []
  for (let from = asked.from; from < asked.to; from += together)
    parts.push({ ...asked, from, to: Math.min(asked.to, from + together) })
  return parts
}

/** Returns a part for each work, with one of `every` of its writes. A process ends when its work has no more of them. */
export const partsOfWorks = (seed: number, every: number): AskedCases[] =>
  WORKS.map((work) => ({ seed, every, work, from: 0, to: Number.MAX_SAFE_INTEGER }))

/**
 * Tries parts of a kind, as many at a time as there are processors. A process that ends or hangs in a case is a fault of
 * that case, and another one goes on behind it.
 * @param program the program `case-process.ts`, as a path that Node runs
 */
export async function tryCases(
  kind: Kind,
  parts: readonly AskedCases[],
  { program, say }: { readonly program: string; readonly say: (line: string) => void },
): Promise<Outcome> {
  const tally = new Tally(kind, say)
  const counts = new Map<string, number>()
  const take = (name: string, faults: readonly string[], counted?: string): void => {
    tally.add(name, faults)
    if (counted !== undefined) counts.set(counted, (counts.get(counted) ?? 0) + 1)
  }
  const waiting = [...parts]
  const worker = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const { begun, isCut } = await runSome(program, kind, part, take)
      if (isCut && part.from + begun < part.to) waiting.unshift({ ...part, from: part.from + begun })
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, cpus().length) }, worker))
  return tally.outcome([...counts].map(([what, count]) => `${what} ${count}`).join(', '))
}

/** Runs cases in a process until it ends or hangs. Says how many it began, and whether the last of them was cut off. */
async function runSome(
  program: string,
  kind: Kind,
  part: AskedCases,
  add: (name: string, faults: readonly string[], counted?: string) => void,
): Promise<{ readonly begun: number; readonly isCut: boolean }> {
  const child = spawn(process.execPath, [program, kind, JSON.stringify(part)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let begun = 0
  let running: string | null = null
  let errors = ''
  const watch = (): NodeJS.Timeout => setTimeout(() => child.kill('SIGKILL'), HANGS_MS)
  let timer = watch()
  child.stderr.on('data', (data) => {
    errors = (errors + String(data)).slice(-2000)
  })
  createInterface({ input: child.stdout }).on('line', (text) => {
    clearTimeout(timer)
    timer = watch()
    const line = JSON.parse(text) as CaseLine
    if ('begins' in line) {
      begun += 1
      running = line.begins
    } else {
      running = null
      add(line.name, line.faults, line.counted)
    }
  })
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.once('close', (...ended) => done(ended)),
  )
  clearTimeout(timer)
  const isCut = running !== null
  if (running !== null)
    add(running, [signal === 'SIGKILL' ? 'it hangs' : `the process ended with ${code ?? signal}: ${errors}`])
  else if (code !== 0) throw new Error(`the cases of ${kind} ended with ${code ?? signal}: ${errors}`)
  return { begun, isCut }
}
