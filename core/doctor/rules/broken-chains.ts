import { MemoryReader } from '#core/systems/memory-reader.ts'
import { brokenChains } from '#core/systems/records/broken-chains.ts'
import type { Rule } from '#core/systems/rule.ts'
import { isAsked } from '#core/systems/scanned-memory.ts'
import { resumedWindow } from '#core/window/resume.ts'

/**
 * To resume a session, an agent goes from the newest record to its parent, and so on. What stands before a break is not
 * loaded.
 */
export const brokenChain = {
  id: 'broken_chain',
  group: 'lineage',
  severity: 'warning',
  phase: 'structure',
  invariant: 'Each record of a transcript names a parent that was written, so that a resume loads the whole window.',
  explanation:
    'The agent wrote a record whose parent is not in the transcript. The memory has every message, but whoever resumes the session goes on without those before that record.',
  *find(context) {
    const { db } = context
    const reader = new MemoryReader(db)
    for (const { conversationId } of brokenChains(db)) {
      if (!isAsked(context, conversationId)) continue
      const found = resumedWindow(db, reader, conversationId)
      yield found && { id: found.resume.firstId, conversationId, detail: `${found.resume.text}: ${found.resume.path}` }
    }
  },
  advice:
    'Write a mended copy with "lcm mend --from TRANSCRIPT --to COPY", or in the Context view. Close the session, keep the original elsewhere, put the copy in its place, and import it. "lcm context --resumed" shows what a resume would load today.',
} as const satisfies Rule
