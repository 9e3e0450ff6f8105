export const chromiumFlags: readonly string[]
export function findChromium(): string | undefined
