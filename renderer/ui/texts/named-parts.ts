type NamedPart = {
  /** Where it begins in the text, in UTF-16 units. */
  readonly from: number
  readonly text: string
  readonly isId: boolean
}

/** Divides a text into words and the ids among them. */
export function namedParts(text: string): readonly NamedPart[] {
  const parts: NamedPart[] = []
  let from = 0
  for (const [index, part] of text.split(/\b((?:msg|sum)_\w+)/).entries()) {
    if (part !== '') parts.push({ from, text: part, isId: index % 2 === 1 })
    from += part.length
  }
  return parts
}
