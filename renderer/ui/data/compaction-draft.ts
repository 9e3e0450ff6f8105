import type { CompactionSettings } from '#core/contract/compaction.ts'
import { currentFile } from '#renderer/routes.ts'
import { parseStored } from './use-stored.ts'

/** Settings that were tried out and that the next plan uses. */
export type CompactionDraft = Partial<CompactionSettings>

const keyOf = (conversationId: number): string => `lcm:compaction-draft:${conversationId}:${currentFile() ?? ''}`

/** Stores settings with which the compaction view of a conversation begins. */
export function leaveCompactionDraft(conversationId: number, settings: CompactionDraft): void {
  sessionStorage.setItem(keyOf(conversationId), JSON.stringify(settings))
}

/**
 * Returns the settings that were left for the compaction view of a conversation, or null. They stay until they are
 * dropped, because they may be read more than once while a view is set up.
 */
export function readCompactionDraft(conversationId: number): CompactionDraft | null {
  const value = parseStored(sessionStorage.getItem(keyOf(conversationId)))
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).filter(([, setting]) => typeof setting === 'number'))
}

/** Deletes the stored settings, after they were used or when they are not wanted any more. */
export function dropCompactionDraft(conversationId: number): void {
  sessionStorage.removeItem(keyOf(conversationId))
}
