import { type Fault, IN_WINDOW, one } from './fault.ts'

export const windowFaults: readonly Fault[] = [
  one(
    'a window entry leads to no message',
    'dangling_item',
    'SELECT conversation_id FROM conversations',
    "INSERT INTO context_items VALUES (:id, 900000, 'message', 987654321, NULL, 0)",
  ),
  one(
    'a window entry leads to no summary',
    'dangling_item',
    'SELECT conversation_id FROM conversations',
    "INSERT INTO context_items VALUES (:id, 900001, 'summary', NULL, 'sum_never', 0)",
  ),
  one(
    'a summary stands behind what came later',
    'context_order',
    IN_WINDOW,
    'UPDATE context_items SET ordinal = ordinal + 1000000 WHERE summary_id = :id',
  ),
]
