import { STORY_BEGINS_MS } from '#test/builders/memory.ts'
import { one } from './compacted.ts'
import type { FamilyFaults } from './family.ts'

/** For the rules of `core/doctor/rules/operations.ts`. */
export const operationFaults: FamilyFaults = {
  compacted: [
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
  ],
  lossless: [
    {
      name: 'conversation neither active nor archived',
      rule: 'archived_but_active_flag',
      damage: 'UPDATE conversations SET active = 0',
    },
    {
      name: 'debt that fails again and again',
      rule: 'compaction_failing',
      damage: `INSERT INTO conversation_compaction_maintenance (conversation_id, pending, running, retry_attempts, last_failure_summary) VALUES (1, 1, 0, 12, 'provider timeout')`,
    },
    {
      name: 'transcript read beyond its end',
      rule: 'ingest_state',
      damage: `INSERT INTO conversation_bootstrap_state (conversation_id, session_file_path, last_seen_size, last_seen_mtime_ms, last_processed_offset) VALUES (1, '/tmp/s.jsonl', 100, 0, 5000)`,
    },
    {
      name: 'transcript whose reading stands still at its beginning',
      rule: 'ingest_state',
      damage: `INSERT INTO conversation_bootstrap_state (conversation_id, session_file_path, last_seen_size, last_seen_mtime_ms, last_processed_offset) VALUES (1, '/tmp/s.jsonl', 250000, 0, 410)`,
    },
    {
      name: 'transcript without a name',
      rule: 'ingest_state',
      damage: `INSERT INTO conversation_bootstrap_state (conversation_id, session_file_path, last_seen_size, last_seen_mtime_ms, last_processed_offset) VALUES (1, '', 100, 0, 50)`,
    },
    {
      name: 'brief that rests on nothing',
      rule: 'focus_source_missing',
      damage: `INSERT INTO focus_briefs (brief_id, conversation_id, prompt, content, status) VALUES ('focus_1', 1, 'p', 'c', 'active'); INSERT INTO focus_brief_sources (brief_id, summary_id, role) VALUES ('focus_1', 'sum_ffffffffffffffff', 'active_input')`,
    },
    {
      name: 'work under way for months',
      rule: 'stale_lock',
      damage: `INSERT INTO conversation_compaction_maintenance (conversation_id, pending, running, last_started_at) VALUES (1, 1, 1, '2025-09-01 00:00:01')`,
    },
    {
      name: 'compaction that turn after turn passed over',
      rule: 'compaction_failing',
      at: '2025-09-01T08:10:00.000Z',
      damage: `INSERT INTO conversation_compaction_maintenance (conversation_id, pending, requested_at, reason)
      VALUES (1, 1, '2025-09-01T08:10:00.000Z', 'threshold')`,
    },
  ],
  generated: [
    {
      rule: 'stale_lock',
      inject: (world) => {
        world.damage(
          world.form === 'native'
            ? `INSERT INTO conversation_locks VALUES (1, 'gone', 0, 1)`
            : `INSERT INTO conversation_compaction_maintenance (conversation_id, running, last_started_at)
             VALUES (1, 1, '2025-01-01 00:00:00')`,
        )
        return true
      },
    },
  ],
}
