type ReasonPart = {
  /** Where it begins in the reason, in UTF-16 units. */
  readonly from: number
  readonly text: string
  readonly isId: boolean
}

/** Divides a reason into words and the ids among them. */
export function reasonParts(reason: string): readonly ReasonPart[] {
  const parts: ReasonPart[] = []
  let from = 0
  for (const [index, text] of reason.split(/\b((?:msg|sum)_\w+)/).entries()) {
    if (text !== '') parts.push({ from, text, isId: index % 2 === 1 })
    from += text.length
  }
  return parts
}
