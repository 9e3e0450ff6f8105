import { RE2JS, RE2JSSyntaxException } from 're2js'
import { LcmError } from '../errors.ts'
import type { Fields, Match, Matcher } from './matcher.ts'

/** Matches a regular expression in time linear to the text (RE2). `.` stops at line ends, `^` and `$` at the text's. */
export class RegexMatcher implements Matcher {
  readonly termCount = 1
  readonly #pattern: RE2JS

  /** @throws LcmError unsupported for what only a backtracking engine can do; invalid_argument for what none can */
  constructor(pattern: string) {
    this.#pattern = compile(pattern)
  }

  matches(fields: Fields): boolean {
    return fields.some((field) => this.#pattern.test(field))
  }

  frequencies(fields: Fields): number[] {
    return [this.matches(fields) ? 1 : 0]
  }

  find(text: string, limit: number): Match[] {
    const matcher = this.#pattern.matcher(text)
    const found: Match[] = []
    while (found.length < limit && matcher.find()) {
      if (matcher.end() > matcher.start()) found.push({ start: matcher.start(), end: matcher.end(), term: 0 })
    }
    return found
  }
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    return compileTranslated(pattern, error)
  }
}

/** What JavaScript writes another way than RE2 (`\u4e2d`) is put into RE2's words first. */
function compileTranslated(pattern: string, first: Error): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch {
    const what = first.message.replace(/^error parsing regexp: /, '')
    if (isJavaScript(pattern)) {
      throw new LcmError(
        'unsupported',
        `This pattern needs an engine that goes back in the text (${what}): look-around and back-references are not searched yet. Write it without them.`,
        undefined,
        { cause: first },
      )
    }
    throw new LcmError('invalid_argument', `The pattern is not a regular expression: ${what}.`, undefined, {
      cause: first,
    })
  }
}

function isJavaScript(pattern: string): boolean {
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}

/**
 * A text that stands in everything the pattern matches, the longest that is easily told; '' when none is. Only what
 * stands outside of groups, classes and repetitions counts.
 */
export function requiredText(pattern: string): string {
  // Another case is another text; quotes to \\E and named classes are left to the engine.
  if (/\(\?[a-zA-Z]*i|\\Q|\[:/.test(pattern)) return ''
  const runs: string[] = ['']
  const end = (): void => {
    runs.push('')
  }
  const characters = [...pattern]
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] ?? ''
    switch (character) {
      case '|':
        return ''
      case '*':
      case '?':
      case '{':
        // The character before may be absent.
        runs.push([...(runs.pop() ?? '')].slice(0, -1).join(''))
        end()
        if (character === '{') i = Math.max(i, characters.indexOf('}', i))
        break
      case '(':
      case '[':
        i = closing(characters, i)
        end()
        break
      case '\\':
        i += 1
        if (/[\p{P}\p{S}]/u.test(characters[i] ?? '')) runs.push(`${runs.pop() ?? ''}${characters[i]}`)
        else {
          // A class or a code: skipped with what follows it, up to where plain text is certain again.
          end()
          if (/[pPxu]/.test(characters[i] ?? '')) return longest(runs)
        }
        break
      case '+':
      case '.':
      case '^':
      case '$':
        end()
        break
      default:
        runs.push(`${runs.pop() ?? ''}${character}`)
    }
  }
  return longest(runs)
}

const longest = (runs: readonly string[]): string => runs.toSorted((a, b) => b.length - a.length)[0] ?? ''

/** Where the group or class that opens at a place ends. */
function closing(characters: readonly string[], open: number): number {
  let depth = 0
  let inClass = false
  for (let i = open; i < characters.length; i += 1) {
    const character = characters[i]
    if (character === '\\') i += 1
    else if (inClass) {
      // `]` directly after the opening, or after `[^`, is a character.
      const isFirst = characters[i - 1] === '[' || (characters[i - 1] === '^' && characters[i - 2] === '[')
      if (character === ']' && !isFirst) {
        inClass = false
        if (depth === 0) return i
      }
    } else if (character === '[') inClass = true
    else if (character === '(') depth += 1
    else if (character === ')') {
      depth -= 1
      if (depth === 0) return i
    }
  }
  return characters.length
}
