const LONGEST_TITLE = 80
/** Titles are made of the beginning of a text. */
const LOOKED_AT = 100_000

// No second "<" stands in a tag. Without that, a text with many tags that never end would be read to its end for each.

/** Reminders and context, which programs put around the words of a person. */
const CONTEXT = /<(system-reminder|system-notification|environment_context|session_context)\b[^<>]*>/g

/** What programs put beside the words of a person: the name of a picture, and a tag around the whole. */
const MARKS: readonly RegExp[] = [
  /<\/?image\b[^<>]*>/g,
  /^\[(?:image|file|document|audio)\b[^\]\n]*\]$/gm,
  /<\/?(?:user_input|user_query|user_message|task|feedback)\b[^<>]*>/g,
]

/** Returns the first line of what a person says, cut to 80 characters: a title. */
export function oneLine(text: string): string {
  const words = MARKS.reduce((bare, mark) => bare.replace(mark, ''), withoutContext(text.slice(0, LOOKED_AT)))
  const line = firstLine(words) || firstLine(text)
  const characters = [...line.slice(0, 4 * LONGEST_TITLE)]
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`
}

function withoutContext(text: string): string {
  const unclosed = new Set<string>()
  let bare = ''
  let from = 0
  for (const { 0: opening, 1: name = '', index } of text.matchAll(CONTEXT)) {
    if (index < from || unclosed.has(name)) continue
    const closing = `</${name}>`
    const end = text.indexOf(closing, index + opening.length)
    if (end === -1) unclosed.add(name)
    else {
      bare += text.slice(from, index)
      from = end + closing.length
    }
  }
  return bare + text.slice(from)
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.trim() ?? ''
