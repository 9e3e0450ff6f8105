import type { WriteStream } from 'node:tty'
import type { JobProgress } from '#core/contract/job.ts'
import { yieldToOthers } from '#core/yielding.ts'
import { onStopSignal } from '../stop-signals.ts'
import { printable } from './output/printable.ts'
import { cutToWidth } from './output/text.ts'

/** What takes long: an answer that comes later, or steps that say how far they are. */
export type Work<T> = Promise<T> | AsyncGenerator<JobProgress, T>

/** Waits for work and shows its progress. Ctrl-C stops it at its next step. What was committed before stays. */
export async function interruptible<T>(start: (signal: AbortSignal) => Work<T>): Promise<T> {
  const abort = new AbortController()
  const removeListener = onStopSignal(() => abort.abort())
  try {
    const work = start(abort.signal)
    return await (Symbol.asyncIterator in work ? showing(work) : work)
  } finally {
    removeListener()
  }
}

async function showing<T>(steps: AsyncGenerator<JobProgress, T>): Promise<T> {
  const line = new ProgressLine(process.stderr)
  try {
    for (;;) {
      const step = await steps.next()
      if (step.done) return step.value
      line.show(step.value)
      // A job that never waits would prevent that the signal is noticed.
      await yieldToOthers()
    }
  } finally {
    line.clear()
  }
}

const INTERVAL_MS = 100
const WIDTH = 24

/** Shows a bar on a terminal, and nothing when stderr is no terminal. */
export class ProgressLine {
  readonly #stream: WriteStream
  #shownAtMs = 0

  constructor(stream: WriteStream) {
    this.#stream = stream
  }

  show({ done, total, unit, note }: JobProgress): void {
    const now = Date.now()
    if (!this.#stream.isTTY || now - this.#shownAtMs < INTERVAL_MS) return
    this.#shownAtMs = now
    const share = total > 0 ? Math.min(1, done / total) : 0
    const filled = Math.round(share * WIDTH)
    const bar =
      total > 0 ? `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.round(share * 100)} %` : `${done} ${unit}`
    this.#stream.write(`\r\x1b[2K${cutToWidth(printable(`${bar}  ${note}`).replace(/\s/g, ' '), this.#columns())}`)
  }

  /**
   * Some terminals, and programs that run others, report no width or 0. The last column stays empty, because it may
   * wrap.
   */
  #columns(): number {
    return (this.#stream.columns || 80) - 1
  }

  clear(): void {
    if (this.#stream.isTTY && this.#shownAtMs > 0) this.#stream.write('\r\x1b[2K')
  }
}
