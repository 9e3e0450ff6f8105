import type { Edge, MemoryModel, MessageEdges, SourceEdges } from './memory-model.ts'

/** Gives a summary other links. Returns whether they are others than it had. */
export function relink(model: MemoryModel, id: string, messages: MessageEdges, sources: SourceEdges): boolean {
  const [hasMessages, hasSources] = [isSame(messages, model.messageEdges(id)), isSame(sources, model.sourceEdges(id))]
  if (!hasMessages) model.setMessageEdges(id, messages)
  if (!hasSources) model.setSourceEdges(id, sources)
  return !hasMessages || !hasSources
}

const isSame = <Id>(a: readonly Edge<Id>[], b: readonly Edge<Id>[]): boolean =>
  a.length === b.length && a.every(({ to, ordinal }, at) => to === b[at]?.to && ordinal === b[at]?.ordinal)
