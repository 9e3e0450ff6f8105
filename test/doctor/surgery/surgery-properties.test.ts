import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import type { TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { coveredMessages, windowOf } from '#test/compaction/invariants.ts'
import { compactedMemory } from '../repair/compacted.ts'
import { fired, runOn, scan } from '../repair/doctor.ts'
import { operate } from './operations.ts'

type Act = {
  readonly kind: 'rewrite' | 'subtree' | 'dissolve' | 'transplant' | 'undo' | 'message'
  readonly pick: number
}

/** What cannot be done in this state is refused, which is an answer too. */
async function act(memory: TestMemory, { kind, pick }: Act, backups: string[]): Promise<void> {
  const summaries = memory.db.column<string>('SELECT summary_id FROM summaries ORDER BY summary_rowid')
  const id = summaries[pick % Math.max(1, summaries.length)] ?? 'none'
  const conversation = memory.conversationIds[pick % memory.conversationIds.length] ?? 1
  try {
    switch (kind) {
      case 'message':
        memory.message(conversation, `Message ${pick} came in between.`)
        return
      case 'undo': {
        const backup = backups[pick % Math.max(1, backups.length)]
        if (backup) await runOn(memory.path, { kind: 'undo', backup })
        return
      }
      case 'dissolve':
        backups.push((await operate(memory.path, { kind: 'dissolve', id })).backup?.path ?? '')
        return
      case 'transplant': {
        const done = await operate(memory.path, { kind: 'transplant', id, toConversationId: conversation })
        backups.push(done.backup?.path ?? '')
        return
      }
      case 'rewrite':
      case 'subtree': {
        const target = 10 + (pick % 40)
        await operate(memory.path, { kind: 'rewrite', id, subtree: kind === 'subtree', targetTokens: target })
      }
    }
  } catch (error) {
    if (!(error instanceof LcmError) || !['invalid_argument', 'not_found'].includes(error.code)) throw error
  }
}

function expectAllReached(memory: TestMemory): void {
  for (const conversation of memory.conversationIds) {
    const reached = windowOf(memory.db, conversation).flatMap((entry) =>
      entry.summaryId === null ? [entry.messageId] : coveredMessages(memory.db, entry.summaryId),
    )
    const all = memory.db.column<number>('SELECT message_id FROM messages WHERE conversation_id = :c ORDER BY seq', {
      c: conversation,
    })
    expect(reached).toEqual(all)
  }
}

// "After any sequence of rewrite, dissolve, transplant and undo the integrity report is clean and every message is still
// reachable."
describe('any sequence of operations by hand', () => {
  it('leaves a sound memory in which every message is covered or in the window', async () => {
    const acts = fc.array(
      fc.record<Act>({
        kind: fc.constantFrom('rewrite', 'subtree', 'dissolve', 'dissolve', 'transplant', 'undo', 'message'),
        pick: fc.nat(1000),
      }),
      { minLength: 1, maxLength: 7 },
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(40), acts, async (seed, list) => {
        const memory = await compactedMemory({ seed, messages: 50 })
        try {
          const backups: string[] = []
          for (const one of list) await act(memory, one, backups)
          expect(fired(await scan(memory.path))).toEqual([])
          expectAllReached(memory)
        } finally {
          memory.close()
        }
      }),
      { numRuns: runs(10) },
    )
  })
})
