import { type Fault, one, SUMMARIES } from './fault.ts'

export const tokenFaults: readonly Fault[] = [
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
]
