import { randomBytes, timingSafeEqual } from 'node:crypto'
import { sha256Bytes } from '../hashing.ts'

/** The number of tokens that are kept. Older ones are dropped. */
const MOST_TOKENS = 16
/** The time in which a page that was reloaded before its answer may ask again. */
const REPEAT_MS = 60_000

/** `claimedBy` is a hash of what the page that spent the token chose for itself, or null while it is unspent. */
type Token = { readonly validUntilMs: number; readonly claimedBy: string | null }

/**
 * Decides who may talk to a browser host. A token admits one browser once and is exchanged for the secret of this run,
 * which the page keeps in the storage of its own origin and sends by itself. Unlike a cookie, neither is sent to
 * another port of this machine.
 */
export class EntryTokens {
  readonly #secret = random()
  /** Tokens by their hash. */
  readonly #tokens = new Map<string, Token>()

  /**
   * Issues a new token.
   * @param validMs the time until it expires; without it, it stays valid until it is spent
   */
  issue(validMs = Number.POSITIVE_INFINITY): string {
    const token = random()
    this.#tokens.set(nameOf(token), { validUntilMs: Date.now() + validMs, claimedBy: null })
    const [oldest] = this.#tokens.keys()
    if (oldest !== undefined && this.#tokens.size > MOST_TOKENS) this.#tokens.delete(oldest)
    return token
  }

  /**
   * Returns the secret for a token, which is spent then, or for the secret itself, and null for anything else.
   * @param claim what the page chose at random before it sent the token. With the same claim it gets the secret again
   * for a minute, because a page that is reloaded before its answer would otherwise be shut out. Nobody else knows the
   * claim.
   */
  exchange(offered: string, claim: string | null): { readonly secret: string; readonly isFirst: boolean } | null {
    if (this.isSecret(offered)) return { secret: this.#secret, isFirst: false }
    const name = nameOf(offered)
    const token = this.#tokens.get(name)
    if (!token) return null
    const claimedBy = claim === null ? null : nameOf(claim)
    const isFirst = token.claimedBy === null
    const isGranted = Date.now() < token.validUntilMs && (isFirst || token.claimedBy === claimedBy)
    if (!isFirst) return isGranted ? { secret: this.#secret, isFirst } : null
    if (isGranted && claimedBy !== null) this.#tokens.set(name, { validUntilMs: Date.now() + REPEAT_MS, claimedBy })
    else this.#tokens.delete(name)
    return isGranted ? { secret: this.#secret, isFirst } : null
  }

  isSecret(offered: string): boolean {
    return timingSafeEqual(hashOf(offered), hashOf(this.#secret))
  }
}

const random = (): string => randomBytes(32).toString('base64url')
const hashOf = (text: string): Buffer => sha256Bytes(text)
const nameOf = (text: string): string => hashOf(text).toString('hex')
