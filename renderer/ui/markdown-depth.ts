/** Quotes and lists within each other beyond this are nobody's writing. */
const MAX_DEPTH = 24

const nested = new RegExp(`^[ \\t]*(?:>[ \\t]*|(?:[-*+]|\\d{1,9}[.)])[ \\t]+){${MAX_DEPTH}}`, 'm')

/**
 * Whether a line opens more quotes and lists than the parser can bear: each is a level of recursion, and a few thousand
 * of them exhaust the stack.
 */
export function isNestedTooDeep(text: string): boolean {
  return nested.test(text)
}
