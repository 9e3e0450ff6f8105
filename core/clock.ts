/** Wall clock in milliseconds since 1970; replaced in tests. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()
