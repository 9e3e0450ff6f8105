/** Closes a choice: a case that is not handled does not compile. */
export function assertNever(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`)
}
