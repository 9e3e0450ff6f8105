import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Unspent tokens that are kept; an older one is forgotten. */
const MOST_TOKENS = 16

/**
 * Who may talk to a browser host. A token lets one browser in, once; what it gets in exchange is the secret of this run,
 * which the page keeps in the storage of its own origin and sends by itself. Unlike a cookie, neither ever goes to
 * another port of this machine.
 */
export class EntryTokens {
  readonly #secret = random()
  /** Until when each is good, by the hash of the token. */
  readonly #unspent = new Map<string, number>()

  /** A new token. @param validMs how long it is good; without it, until it is spent */
  issue(validMs = Number.POSITIVE_INFINITY): string {
    const token = random()
    this.#unspent.set(hashOf(token).toString('hex'), Date.now() + validMs)
    const [oldest] = this.#unspent.keys()
    if (oldest !== undefined && this.#unspent.size > MOST_TOKENS) this.#unspent.delete(oldest)
    return token
  }

  /** The secret for a token, which is spent by it, or for the secret itself; null for anything else. */
  exchange(offered: string): { readonly secret: string; readonly wasToken: boolean } | null {
    if (this.isSecret(offered)) return { secret: this.#secret, wasToken: false }
    const name = hashOf(offered).toString('hex')
    const validUntilMs = this.#unspent.get(name)
    this.#unspent.delete(name)
    return validUntilMs !== undefined && Date.now() < validUntilMs ? { secret: this.#secret, wasToken: true } : null
  }

  isSecret(offered: string): boolean {
    return timingSafeEqual(hashOf(offered), hashOf(this.#secret))
  }
}

const random = (): string => randomBytes(32).toString('base64url')
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()
