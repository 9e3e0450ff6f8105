/**
 * The value that JSON text begins with, when the text is cut off somewhere: what was complete, with its open ends
 * closed. Undefined when it does not begin as JSON does.
 */
export function closeJson(text: string): unknown {
  const { cut, closers } = lastSafePlace(text)
  if (cut === 0) return undefined
  try {
    return JSON.parse(text.slice(0, cut) + closers)
  } catch {
    return undefined
  }
}

const DEEPEST = 1000

/** The end of the last complete member or element, and what closes everything that is open there. */
function lastSafePlace(text: string): { cut: number; closers: string } {
  const open: string[] = []
  let cut = 0
  let closers = ''
  const mark = (end: number): void => {
    cut = end
    closers = open.toReversed().join('')
  }
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index]
    if (char === '"') {
      index = endOfString(text, index)
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']')
      if (open.length > DEEPEST) break
      mark(index + 1)
    } else if (char === '}' || char === ']') {
      open.pop()
      mark(index + 1)
      if (open.length === 0) break
    } else if (char === ',') {
      mark(index)
    }
  }
  return { cut, closers }
}

function endOfString(text: string, open: number): number {
  for (let index = open + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1
    else if (text[index] === '"') return index
  }
  return text.length
}
