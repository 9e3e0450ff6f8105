/** No real text nests quotes and lists deeper than this. */
const MAX_DEPTH = 24

const nested = new RegExp(`^[ \\t]*(?:>[ \\t]*|(?:[-*+]|\\d{1,9}[.)])[ \\t]+){${MAX_DEPTH}}`, 'm')

/**
 * True when a line opens too many quotes and lists: the parser recurses for each level, and some thousand levels
 * exhaust the stack.
 */
export function isNestedTooDeep(text: string): boolean {
  return nested.test(text)
}
