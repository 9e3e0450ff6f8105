export type ConnectionState = 'connecting' | 'open' | 'lost'

/** Waiting times before the next attempt. The last one repeats. */
const DELAYS_MS = [300, 1000, 2000, 5000]

/** A transport that reports its end: a WebSocket or a MessagePort. */
type Transport = Pick<EventTarget, 'addEventListener'>

/**
 * Keeps one link to the core alive. Callers ask for the link at every call, so that they never hold a dead one.
 * `connect` makes a transport, and `makeLink` speaks over it.
 */
export class Connection<TTransport extends Transport, TLink> {
  private readonly connect: () => Promise<TTransport>
  private readonly makeLink: (transport: TTransport) => TLink
  private readonly listeners = new Set<() => void>()
  private current: ConnectionState = 'connecting'
  private attempts = 0
  private pending: Promise<TLink>
  private settle: (link: TLink) => void = () => undefined
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(connect: () => Promise<TTransport>, makeLink: (transport: TTransport) => TLink) {
    this.connect = connect
    this.makeLink = makeLink
    this.pending = this.newPending()
    void this.attempt()
  }

  get state(): ConnectionState {
    return this.current
  }

  /** Returns the live link, or waits for one. */
  link(): Promise<TLink> {
    return this.pending
  }

  /** Tries at once instead of waiting for the next attempt. */
  retry(): void {
    if (this.timer === undefined) return
    clearTimeout(this.timer)
    void this.attempt()
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private async attempt(): Promise<void> {
    this.timer = undefined
    try {
      const transport = await this.connect()
      transport.addEventListener('close', () => this.lose(), { once: true })
      this.attempts = 0
      this.settle(this.makeLink(transport))
      this.become('open')
    } catch {
      // The failure is visible in the state, which the window shows with a button to try again.
      this.schedule()
    }
  }

  private lose(): void {
    this.pending = this.newPending()
    this.schedule()
  }

  private schedule(): void {
    this.become('lost')
    const delay = DELAYS_MS[Math.min(this.attempts, DELAYS_MS.length - 1)]
    this.attempts += 1
    this.timer = setTimeout(() => void this.attempt(), delay)
  }

  private newPending(): Promise<TLink> {
    return new Promise((resolve) => {
      this.settle = resolve
    })
  }

  private become(state: ConnectionState): void {
    if (state === this.current) return
    this.current = state
    for (const listener of this.listeners) listener()
  }
}
