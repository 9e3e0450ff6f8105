/** Makes a switch exhaustive: it does not compile when a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`)
}
