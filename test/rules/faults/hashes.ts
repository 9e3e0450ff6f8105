import { type Fault, LEAVES, one, SUMMARIES } from './fault.ts'

export const hashFaults: readonly Fault[] = [
  one(
    'a leaf lost one message',
    'summary_hash',
    LEAVES,
    'DELETE FROM summary_messages WHERE summary_id = :id AND ordinal = (SELECT min(ordinal) FROM summary_messages WHERE summary_id = :id)',
  ),
  one('a wrong hash', 'summary_hash', SUMMARIES, 'UPDATE summaries SET summary_hash = :hash WHERE summary_id = :id', {
    hash: 'f'.repeat(64),
  }),
  one(
    'a text that was changed',
    'summary_hash',
    SUMMARIES,
    "UPDATE summaries SET content = content || ' And more.' WHERE summary_id = :id",
  ),
]
