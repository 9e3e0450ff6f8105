const LONGEST_TITLE = 80

/**
 * What programs put around or beside the words of a person: the name of a picture, reminders and context, and a tag
 * around the whole.
 */
const wrappings: readonly RegExp[] = [
  /<(system-reminder|system-notification|environment_context|session_context)\b[^>]*>[\s\S]*?<\/\1>/g,
  /<\/?image\b[^>]*>/g,
  /^\[(?:image|file|document|audio)\b[^\]\n]*\]$/gm,
  /<\/?(?:user_input|user_query|user_message|task|feedback)\b[^>]*>/g,
]

/** Returns the first line of what a person says, cut to 80 characters: a title. */
export function oneLine(text: string): string {
  const bare = wrappings.reduce((words, wrapping) => words.replace(wrapping, ''), text.slice(0, LOOKED_AT))
  const line = firstLine(bare) || firstLine(text)
  const characters = [...line.slice(0, 4 * LONGEST_TITLE)]
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`
}

/** Titles are made of the beginning of a text. */
const LOOKED_AT = 100_000

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.trim() ?? ''
