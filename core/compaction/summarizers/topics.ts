import { cutLine, type Unit } from './units.ts'

/** Names that one would search for: paths, calls, identifiers of code, error classes, addresses. */
const NAME =
  /[\w@~.-]*[/\\][\w@.-]+[/\\.][\w./\\-]*\w|\b[\w-]+\.(?:[a-z]{2,4}|[a-z]+\d)\b|\b\w+\(\)|\b[A-Za-z]+[a-z][A-Z]\w+|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z][A-Z0-9_]{3,}\b/g
const MOST_TOPICS = 12
const LONGEST_NAME = 60
const LONGEST_PHRASE = 48

/**
 * What an extract leaves out and a reader may want: names in the units that were dropped, best units first, then names
 * that earlier extracts offered, then how the best of those units begin (in scripts where names do not stand out).
 */
export function findTopics(dropped: readonly Unit[], earlier: readonly string[], body: string): string[] {
  const topics = new Set<string>()
  for (const unit of dropped.slice(0, 60)) {
    for (const [name] of unit.text.matchAll(NAME)) {
      if (name.length <= LONGEST_NAME && !body.includes(name) && !isPartOfOne(name, topics)) topics.add(name)
      if (topics.size >= MOST_TOPICS) return [...topics]
    }
  }
  for (const topic of earlier) {
    if (topics.size >= MOST_TOPICS) break
    if (topic !== '' && !body.includes(topic)) topics.add(topic)
  }
  for (const unit of dropped) {
    if (topics.size >= 3) break
    topics.add(cutLine(unit.text.replaceAll(',', ' '), LONGEST_PHRASE))
  }
  return [...topics]
}

const isPartOfOne = (name: string, topics: ReadonlySet<string>): boolean =>
  [...topics].some((topic) => topic.includes(name))
