/** A message of an agent is to be on screen within a quarter of a second. A look only asks for the state of a few files. */
const INTERVAL_MS = 100
/** Half as often is soon enough for a file that has not changed for so long, and each look wakes the processor. */
const QUIET_INTERVAL_MS = 200
const QUIET_AFTER_MS = 10_000
/** Other changes need not be known as soon. They are looked for once in this many looks at the file. */
const LOOKS_BETWEEN = 5

type Looks = {
  /** Looks at the file. */
  readonly look: () => void
  /** Looks for everything else. */
  readonly lookAround: () => void
}

/** Looks at a file again and again, less often while it does not change. */
export class FileLooks {
  readonly #looks: Looks
  #timer: NodeJS.Timeout | null = null
  #count = 0
  #changedAtMs = 0

  constructor(looks: Looks) {
    this.#looks = looks
  }

  /** Does nothing where it was started already. */
  start(): void {
    if (this.#timer !== null) return
    this.noteChange()
    this.#wait()
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Says that the file changed, so that it may change again soon. */
  noteChange(): void {
    this.#changedAtMs = performance.now()
  }

  #wait(): void {
    const isQuiet = performance.now() - this.#changedAtMs > QUIET_AFTER_MS
    this.#timer = setTimeout(() => this.#next(), isQuiet ? QUIET_INTERVAL_MS : INTERVAL_MS)
  }

  #next(): void {
    this.#wait()
    this.#looks.look()
    this.#count += 1
    if (this.#count % LOOKS_BETWEEN === 0) this.#looks.lookAround()
  }
}
