import type { ProviderSettings } from '#core/contract/provider.ts'
import type { Spend } from './summarizer.ts'

export type Prices = Pick<ProviderSettings, 'inputPrice' | 'outputPrice'>

/** Tokens that a call may take, reserved until the real number is known. */
export type Reservation = {
  /** Books what the call took. Nulls, when the server gives no numbers, count as estimated. */
  settle(inputTokens: number | null, outputTokens: number | null): void
  /** Releases the reservation of a call that never reached a model. */
  release(): void
}

/** What one run may send to models, and what it has sent. Calls at the same time cannot pass the cap together. */
export class SpendBudget implements Spend {
  readonly #capTokens: number | null
  #inputTokens = 0
  #outputTokens = 0
  #reserved = 0
  #cost: number | null = 0

  /** @param capTokens input and output together; null for no cap */
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

  /** Returns null when the call could pass the cap of the run. Every reservation has to be settled or released once. */
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

/** Computes the price from a price per million tokens. */
export const priceOf = (tokens: number, price: number): number => (tokens * price) / 1_000_000
