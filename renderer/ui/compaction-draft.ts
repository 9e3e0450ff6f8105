import type { CompactionSettings } from '../../core/contract/compaction.ts'
import { currentFile } from '../routes.ts'

/** Settings that were tried out and are to be planned with. */
export type CompactionDraft = Partial<CompactionSettings>

const keyOf = (conversationId: number): string => `lcm:compaction-draft:${conversationId}:${currentFile() ?? ''}`

/** Leaves settings for the compaction view of a conversation to begin with. */
export function leaveCompactionDraft(conversationId: number, settings: CompactionDraft): void {
  sessionStorage.setItem(keyOf(conversationId), JSON.stringify(settings))
}

/**
 * What was left for the compaction view of a conversation, null when nothing was. It stays until it is dropped, so that
 * it may be read more than once while a view is being set up.
 */
export function readCompactionDraft(conversationId: number): CompactionDraft | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(keyOf(conversationId)) ?? 'null')
    if (typeof value !== 'object' || value === null) return null
    return Object.fromEntries(Object.entries(value).filter(([, setting]) => typeof setting === 'number'))
  } catch {
    // Another program wrote this entry, so it is ignored.
    return null
  }
}

/** Forgets what was left, once it is used or no longer wanted. */
export function dropCompactionDraft(conversationId: number): void {
  sessionStorage.removeItem(keyOf(conversationId))
}
