import { STORY_BEGINS_MS } from '../../builders/memory.ts'
import { type Fault, one } from './fault.ts'

export const operationFaults: readonly Fault[] = [
  one(
    'a lock whose owner is gone',
    'stale_lock',
    'SELECT conversation_id FROM conversations WHERE conversation_id NOT IN (SELECT conversation_id FROM conversation_locks)',
    "INSERT INTO conversation_locks VALUES (:id, 'gone', 0, :until)",
    { until: STORY_BEGINS_MS },
  ),
  one(
    'a run that never ended',
    'abandoned_run',
    'SELECT conversation_id FROM conversations WHERE conversation_id NOT IN (SELECT conversation_id FROM conversation_locks)',
    `INSERT OR IGNORE INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, tokens_before)
     VALUES ('run_cut_' || :id, :id, 'manual', 'full', 'deterministic', '{}', 'gone', 5, 100)`,
  ),
]
