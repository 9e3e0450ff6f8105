import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StrataService } from '#core/browse/strata.ts'
import { SummaryDag } from '#core/browse/summary-dag.ts'
import { Transcript } from '#core/browse/transcript.ts'
import { Lineage, Neighbourhood, Tree, TreeLevel } from '#core/contract/lineage.ts'
import { TranscriptPage } from '#core/contract/message.ts'
import { Strata, StrataAxis, StrataMessages } from '#core/contract/strata.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { openMemory } from '#test/builders/open-memory.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'

const folder = join(FIXTURES, 'lossless-claw')
const files = ['.', 'legacy', 'corrupt'].flatMap((sub) => {
  return readdirSync(join(folder, sub)).flatMap((name) => (name.endsWith('.db') ? [join(sub, name)] : []))
})

describe('every view of a file of lossless-claw', () => {
  it.each(files)('can be shown: %s', (file) => {
    using memory = openMemory(join(folder, file))
    const reader = new MemoryReader(memory.read)
    const dag = new SummaryDag(memory.read, reader)
    const strata = new StrataService(memory.read, reader, 8)
    const transcript = new Transcript(memory.read, reader)
    for (const conversationId of memory.read.column<number>('SELECT conversation_id FROM conversations')) {
      for (const axis of StrataAxis.options) {
        const { extent } = Strata.parse(strata.get({ conversationId, axis }))
        const columns = strata.messages({ conversationId, axis, x0: 0, x1: extent, buckets: 50 })
        const count = StrataMessages.parse(columns).count.reduce((a, b) => a + b, 0)
        expect(count).toBe(reader.of(conversationId).length)
      }
      const page = TranscriptPage.parse(transcript.page({ conversationId, offset: 0, limit: 500, contentChars: 1000 }))
      expect(page.messages.length).toBe(page.total)
      Tree.parse(dag.tree(conversationId))
      TreeLevel.parse(dag.treeLevel({ conversationId, of: null, offset: 0, limit: 100 }))
      const summaries = memory.read.column<string>('SELECT summary_id FROM summaries WHERE conversation_id = :c', {
        c: conversationId,
      })
      for (const id of [...summaries, ...page.messages.slice(0, 5).map((message) => message.id)]) {
        Lineage.parse(dag.lineage(id))
        Neighbourhood.parse(dag.neighbourhood({ id, up: 8, down: 8, maxPerNode: 4, expanded: [] }))
      }
    }
  })
})
