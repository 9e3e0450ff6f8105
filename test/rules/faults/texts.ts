import { type Fault, LEAVES, one, SUMMARIES } from './fault.ts'

export const textFaults: readonly Fault[] = [
  one(
    'a leaf lost one message',
    'summary_hash',
    LEAVES,
    'DELETE FROM summary_messages WHERE summary_id = :id AND ordinal = (SELECT min(ordinal) FROM summary_messages WHERE summary_id = :id)',
  ),
  one(
    'a summary with a wrong number of tokens',
    'token_drift',
    SUMMARIES,
    'UPDATE summaries SET token_count = 90000 WHERE summary_id = :id',
  ),
  one(
    'a message without a number of tokens',
    'token_drift',
    'SELECT message_id FROM messages WHERE length(content) > 200 ORDER BY message_id',
    'UPDATE messages SET token_count = 0 WHERE message_id = :id',
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
  one(
    'a summary that says nothing',
    'empty_summary',
    SUMMARIES,
    "UPDATE summaries SET content = '' WHERE summary_id = :id",
  ),
  one(
    'a summariser that failed and was cut off',
    'fallback_summary',
    SUMMARIES,
    "UPDATE summaries SET content = substr(content, 1, 60) || ' [Truncated from 9,000 tokens]' WHERE summary_id = :id",
  ),
  one(
    'a text that was capped',
    'truncated_summary',
    SUMMARIES,
    "UPDATE summaries SET content = substr(content, 1, 60) || ' [Capped from 9,000 tokens to ~100]' WHERE summary_id = :id",
  ),
]
