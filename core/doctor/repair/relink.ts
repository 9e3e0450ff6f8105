import type { MessageLinks, SourceLinks } from '#core/memory/draft.ts'
import type { Link } from '#core/memory/links.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'

/** Gives a summary other links. Returns whether they differ from the old ones. */
export function relink(draft: FileDraft, id: string, messages: MessageLinks, sources: SourceLinks): boolean {
  const [hasMessages, hasSources] = [isSame(messages, draft.messageLinks(id)), isSame(sources, draft.sourceLinks(id))]
  if (!hasMessages) draft.setMessageLinks(id, messages)
  if (!hasSources) draft.setSourceLinks(id, sources)
  return !hasMessages || !hasSources
}

const isSame = <Id>(a: readonly Link<Id>[], b: readonly Link<Id>[]): boolean =>
  a.length === b.length && a.every(({ to, ordinal }, at) => to === b[at]?.to && ordinal === b[at]?.ordinal)
