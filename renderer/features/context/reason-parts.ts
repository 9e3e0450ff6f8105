/** Divides a reason into words and the ids among them. */
export function reasonParts(reason: string): readonly { readonly text: string; readonly isId: boolean }[] {
  return inWords(reason)
    .split(/\b((?:msg|sum)_\w+)/)
    .map((text, index) => ({ text, isId: index % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

/** The core names the newest messages by the term that agents use. */
export const inWords = (reason: string): string => reason.replace('fresh tail', 'among the newest')
