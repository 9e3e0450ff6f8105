import { type Fault, LEAVES, one, SUMMARIES } from './fault.ts'

export const countFaults: readonly Fault[] = [
  one(
    'a wrong number of descendants',
    'descendant_count',
    SUMMARIES,
    'UPDATE summaries SET descendant_count = descendant_count + 7 WHERE summary_id = :id',
  ),
  one(
    'a wrong number of source tokens',
    'descendant_count',
    SUMMARIES,
    'UPDATE summaries SET source_token_count = source_token_count + 700 WHERE summary_id = :id',
  ),
  {
    name: 'a summary that is longer than its sources',
    rule: 'not_smaller_than_sources',
    inject: (memory, pick) => {
      const id = pick(memory.db.column<string>(LEAVES))
      // With its triggers, so that the index holds the text as well.
      memory.db.run('UPDATE summaries SET content = :content, token_count = 9000 WHERE summary_id = :id', {
        id,
        content: 'again '.repeat(6000),
      })
      return true
    },
  },
]
