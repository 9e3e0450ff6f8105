import { cutLine, type Unit } from './units.ts'

/** Matches names that one would search for: paths, calls, identifiers of code, error classes, addresses. */
const NAME =
  /[\w@~.-]*[/\\][\w@.-]+[/\\.][\w./\\-]*\w|\b[\w-]+\.(?:[a-z]{2,4}|[a-z]+\d)\b|\b\w+\(\)|\b[A-Za-z]+[a-z][A-Z]\w+|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z][A-Z0-9_]{3,}\b/g
const MOST_TOPICS = 12
const LONGEST_NAME = 60
const LONGEST_PHRASE = 48

/** Units that an extract does not contain: best first, and those that repeat others. */
export type LeftOut = { readonly own: readonly Unit[]; readonly repeated: readonly Unit[] }

/**
 * Finds what an extract leaves out and a reader may want: names in the dropped units, best units first, then names that
 * earlier extracts offered, then the beginnings of the best dropped units (in scripts without recognisable names).
 */
export function findTopics({ own, repeated }: LeftOut, earlier: readonly string[], body: string): string[] {
  const topics = new Set<string>()
  for (const unit of [...own.slice(0, 60), ...repeated.slice(0, 20)]) {
    for (const [name] of unit.text.matchAll(NAME)) {
      if (name.length <= LONGEST_NAME && !body.includes(name) && !isPartOfOne(name, topics)) topics.add(name)
      if (topics.size >= MOST_TOPICS) return [...topics]
    }
  }
  for (const topic of earlier) {
    if (topics.size >= MOST_TOPICS) break
    if (topic !== '' && !body.includes(topic)) topics.add(topic)
  }
  for (const unit of own) {
    if (topics.size >= 3) break
    const phrase = cutLine(unit.text.replaceAll(',', ' '), LONGEST_PHRASE)
    if (!body.includes(unit.text)) topics.add(phrase)
  }
  // Nothing was dropped, so what remains to expand is the wording around the names.
  return topics.size > 0 ? [...topics] : namesIn(body)
}

function namesIn(body: string): string[] {
  const names = new Set(Array.from(body.slice(0, 4_000).matchAll(NAME), ([name]) => name))
  const [firstLine = ''] = body.split('\n')
  const phrase = cutLine(firstLine.replace(/^.*?Z [^:]*: /, '').replaceAll(',', ' '), LONGEST_PHRASE)
  return names.size > 0 ? [...names].slice(0, 3) : [phrase]
}

const isPartOfOne = (name: string, topics: ReadonlySet<string>): boolean =>
  [...topics].some((topic) => topic.includes(name))
