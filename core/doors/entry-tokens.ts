import { randomBytes, timingSafeEqual } from 'node:crypto'
import { sha256Bytes } from '../hashing.ts'

/** Tokens that are kept; an older one is forgotten. */
const MOST_TOKENS = 16
/** How long a page that was reloaded before it got its answer may ask again. */
const REPEAT_MS = 60_000

/** `claimedBy`: hash of what the page that spent it chose for itself; null while it is unspent. */
type Token = { readonly validUntilMs: number; readonly claimedBy: string | null }

/**
 * Who may talk to a browser host. A token lets one browser in, once; what it gets in exchange is the secret of this run,
 * which the page keeps in the storage of its own origin and sends by itself. Unlike a cookie, neither ever goes to
 * another port of this machine.
 */
export class EntryTokens {
  readonly #secret = random()
  /** By the hash of the token. */
  readonly #tokens = new Map<string, Token>()

  /** A new token. @param validMs how long it is good; without it, until it is spent */
  issue(validMs = Number.POSITIVE_INFINITY): string {
    const token = random()
    this.#tokens.set(nameOf(token), { validUntilMs: Date.now() + validMs, claimedBy: null })
    const [oldest] = this.#tokens.keys()
    if (oldest !== undefined && this.#tokens.size > MOST_TOKENS) this.#tokens.delete(oldest)
    return token
  }

  /**
   * The secret for a token, which is spent by it, or for the secret itself; null for anything else.
   * @param claim what the page chose at random before it sent the token. With the same claim it gets the secret once more
   * for a minute: a page that is reloaded before the answer came would otherwise be shut out. Nobody else knows the claim.
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
