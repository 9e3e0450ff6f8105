import { type Fault, one, SUMMARIES } from './fault.ts'

export const timeFaults: readonly Fault[] = [
  one(
    'a wrong time range',
    'time_range',
    SUMMARIES,
    'UPDATE summaries SET earliest_at = earliest_at - 90061000 WHERE summary_id = :id',
  ),
  one(
    'a time range that ends before it begins',
    'time_range',
    SUMMARIES,
    'UPDATE summaries SET earliest_at = latest_at + 5000, latest_at = earliest_at - 5000 WHERE summary_id = :id',
  ),
]
