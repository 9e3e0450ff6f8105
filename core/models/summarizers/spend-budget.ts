import type { ProviderSettings } from '../../contract/provider.ts'
import type { Spend } from './summarizer.ts'

export type Prices = Pick<ProviderSettings, 'inputPrice' | 'outputPrice'>

/** Tokens that a call may take, held back until it is known what it took. */
export type Reservation = {
  /** What the call took. Nulls, where the server did not say, count as what was estimated. */
  settle(inputTokens: number | null, outputTokens: number | null): void
  /** The call never reached a model. */
  release(): void
}

/** What one run may send to models, and what it has. Calls that run at once cannot pass the cap together. */
export class SpendBudget implements Spend {
  readonly #capTokens: number | null
  #inputTokens = 0
  #outputTokens = 0
  #reserved = 0
  #cost: number | null = 0

  /** @param capTokens input and output together; null is no cap */
  constructor(capTokens: number | null) {
    this.#capTokens = capTokens
  }

  get inputTokens(): number {
    return this.#inputTokens
  }
  get outputTokens(): number {
    return this.#outputTokens
  }
  get cost(): number | null {
    return this.#cost
  }
  get capTokens(): number | null {
    return this.#capTokens
  }

  /** Null when the call could take the run over its cap. Every reservation has to be settled or released, once. */
  reserve(inputTokens: number, maxOutputTokens: number, prices: Prices): Reservation | null {
    const tokens = inputTokens + maxOutputTokens
    const taken = this.#inputTokens + this.#outputTokens + this.#reserved
    if (this.#capTokens !== null && taken + tokens > this.#capTokens) return null
    this.#reserved += tokens
    let isOpen = true
    const close = (): boolean => {
      const wasOpen = isOpen
      if (wasOpen) this.#reserved -= tokens
      isOpen = false
      return wasOpen
    }
    return {
      settle: (input, output) => {
        if (close()) this.#add(input ?? inputTokens, output ?? 0, prices)
      },
      release: () => void close(),
    }
  }

  #add(inputTokens: number, outputTokens: number, { inputPrice, outputPrice }: Prices): void {
    this.#inputTokens += inputTokens
    this.#outputTokens += outputTokens
    const isPriced = inputPrice !== null && outputPrice !== null && this.#cost !== null
    this.#cost = isPriced
      ? (this.#cost ?? 0) + priceOf(inputTokens, inputPrice) + priceOf(outputTokens, outputPrice)
      : null
  }
}

/** Prices are per million tokens. */
export const priceOf = (tokens: number, price: number): number => (tokens * price) / 1_000_000
