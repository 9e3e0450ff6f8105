/** After so many workers in a row that could not start or broke, nothing more is asked. */
const MOST_FAILURES = 3
/** A worker that is not ready after this time has broken. On a busy machine its code takes long to load. */
const START_MS = 60_000

type Options = {
  readonly start: () => Worker
  /** An answer that takes longer ends the worker. */
  readonly limitMs: number
}

/** What a worker is sent, and what it sends back. */
export type Numbered<T> = { readonly id: number; readonly value: T }

/** What a worker sends first, when it is ready to answer. */
export const READY: Numbered<null> = { id: 0, value: null }

/** Why there is no answer: it took too long, the worker broke, or nobody waits for it any more. */
export type NoAnswer = 'too slow' | 'broken' | 'not wanted'

type WaitingQuestion<Question, Answer> = {
  readonly id: number
  readonly question: Question
  readonly resolve: (answer: Answer | NoAnswer) => void
}

/** Asks a worker one question after the other, so that the window never waits for it, and ends it when it takes too long. */
export class LimitedWorker<Question, Answer extends object> {
  readonly #options: Options
  #worker: Worker | null = null
  #waiting: readonly WaitingQuestion<Question, Answer>[] = []
  #limit: ReturnType<typeof setTimeout> | undefined
  #lastId = 0
  #failures = 0

  constructor(options: Options) {
    this.#options = options
  }

  /** A question whose signal is aborted before its turn is not asked. */
  ask(question: Question, signal?: AbortSignal): Promise<Answer | NoAnswer> {
    return new Promise((resolve) => {
      this.#lastId += 1
      const one = { id: this.#lastId, question, resolve }
      this.#waiting = [...this.#waiting, one]
      signal?.addEventListener('abort', () => {
        if (this.#waiting.indexOf(one) < 1) return
        this.#waiting = this.#waiting.filter((other) => other !== one)
        resolve('not wanted')
      })
      if (this.#waiting.length === 1) this.#askNext()
    })
  }

  #askNext(): void {
    const [next] = this.#waiting
    clearTimeout(this.#limit)
    if (next === undefined) return
    if (this.#failures >= MOST_FAILURES) {
      this.#settle(next.id, 'broken')
      return
    }
    const isReady = this.#worker !== null
    this.#started().postMessage({ id: next.id, value: next.question } satisfies Numbered<Question>)
    if (isReady) this.#startClock()
    else this.#limit = setTimeout(() => this.#giveUp('broken'), START_MS)
  }

  #startClock(): void {
    clearTimeout(this.#limit)
    this.#limit = setTimeout(() => this.#giveUp('too slow'), this.#options.limitMs)
  }

  /** Ends the worker, and leaves the question that it was asked without an answer. */
  #giveUp(why: NoAnswer): void {
    if (why === 'broken') this.#failures += 1
    this.#worker?.terminate()
    this.#worker = null
    this.#settle(this.#waiting[0]?.id ?? -1, why)
  }

  #settle(id: number, answer: Answer | NoAnswer): void {
    const [first, ...rest] = this.#waiting
    if (first?.id !== id) return
    this.#waiting = rest
    first.resolve(answer)
    this.#askNext()
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker
    const worker = this.#options.start()
    worker.addEventListener('message', ({ data }: MessageEvent<Numbered<Answer>>) => {
      // A library in the worker may send messages of its own.
      if (typeof data?.id !== 'number') return
      if (data.id === READY.id) {
        this.#startClock()
        return
      }
      this.#failures = 0
      this.#settle(data.id, data.value)
    })
    worker.addEventListener('error', () => this.#giveUp('broken'))
    this.#worker = worker
    return worker
  }
}
