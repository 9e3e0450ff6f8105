import { cpus } from 'node:os'

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

/** Runs the cases 0 to `count` - 1, several at a time. */
export async function inParallel(count: number, body: (number: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await body(next++)
  }
  await Promise.all(Array.from({ length: Math.max(1, cpus().length) }, worker))
}
