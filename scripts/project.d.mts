export const root: string
export const nodeBinary: string
export const userFolder: string
export function inProject(...parts: readonly string[]): string
export function fromUser(path: string): string
export function say(message: string): void
export class Refusal extends Error {}
export function main(run: () => Promise<void>): Promise<void>
