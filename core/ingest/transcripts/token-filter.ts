import { type ParsedTokenInfo, TokenType } from '@streamparser/json'

/** Values are parsed down to this depth. No agent nests deeper, and the work of a parser grows with the depth. */
const DEEPEST = 1000

type Options = {
  /** The names of the wanted values of the root, or null for all. */
  readonly wanted: ReadonlySet<string> | null
  readonly write: (token: ParsedTokenInfo) => void
}

/** Passes on the tokens of a document, with null instead of values that are not wanted or nested too deeply. */
export class TokenFilter {
  readonly #wanted: ReadonlySet<string> | null
  readonly #write: (token: ParsedTokenInfo) => void
  #depth = 0
  /** Tokens from this depth on are left out. 0 means that none is. */
  #leftOutFrom = 0
  #isRootObject = false
  #isNameNext = false
  #isWanted = true
  #isTooDeep = false

  constructor({ wanted, write }: Options) {
    this.#wanted = wanted
    this.#write = write
  }

  /** Says whether something was left out for its depth since the last call. */
  takeTooDeep(): boolean {
    const isTooDeep = this.#isTooDeep
    this.#isTooDeep = false
    return isTooDeep
  }

  take(token: ParsedTokenInfo): void {
    switch (token.token) {
      case TokenType.LEFT_BRACE:
      case TokenType.LEFT_BRACKET:
        this.#open(token)
        return
      case TokenType.RIGHT_BRACE:
      case TokenType.RIGHT_BRACKET:
        this.#close(token)
        return
      default:
        if (this.#depth === 1 && this.#isRootObject) this.#noteName(token)
        if (this.#leftOutFrom === 0) this.#write(token)
    }
  }

  #open(token: ParsedTokenInfo): void {
    this.#depth += 1
    if (this.#depth === 1) {
      this.#isRootObject = token.token === TokenType.LEFT_BRACE
      this.#isNameNext = true
    }
    if (this.#leftOutFrom > 0) return
    const isUnwanted = this.#depth === 2 && !this.#isWanted
    if (!isUnwanted && this.#depth <= DEEPEST) {
      this.#write(token)
      return
    }
    this.#leftOutFrom = this.#depth
    if (!isUnwanted) this.#isTooDeep = true
    this.#write({ token: TokenType.NULL, value: null, offset: token.offset })
  }

  #close(token: ParsedTokenInfo): void {
    const isLeftOut = this.#leftOutFrom > 0
    if (this.#depth === this.#leftOutFrom) this.#leftOutFrom = 0
    this.#depth -= 1
    if (!isLeftOut) this.#write(token)
  }

  #noteName({ token, value }: ParsedTokenInfo): void {
    if (token === TokenType.COMMA) this.#isNameNext = true
    else if (this.#isNameNext && token === TokenType.STRING) {
      this.#isWanted = this.#wanted?.has(String(value)) ?? true
      this.#isNameNext = false
    }
  }
}
