export function quicken(): void
