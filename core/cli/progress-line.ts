import type { WriteStream } from 'node:tty'
import type { JobProgress } from '../contract/job.ts'
import { printable } from './text.ts'

const INTERVAL_MS = 100
const WIDTH = 24

/** A bar on a terminal; nothing at all where stderr is not one. */
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
    this.#stream.write(`\r\x1b[2K${bar}  ${printable(note)}`.slice(0, (this.#stream.columns ?? 80) + 5))
  }

  clear(): void {
    if (this.#stream.isTTY && this.#shownAtMs > 0) this.#stream.write('\r\x1b[2K')
  }
}
