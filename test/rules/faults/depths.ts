import { CONDENSED, type Fault, LEAVES, one, SUMMARIES } from './fault.ts'

export const depthFaults: readonly Fault[] = [
  one(
    'a leaf calls itself condensed',
    'kind_mismatch',
    LEAVES,
    "UPDATE summaries SET kind = 'condensed' WHERE summary_id = :id",
  ),
  one(
    'a condensed node calls itself a leaf',
    'kind_mismatch',
    CONDENSED,
    "UPDATE summaries SET kind = 'leaf' WHERE summary_id = :id",
  ),
  one('a wrong depth', 'depth_mismatch', SUMMARIES, 'UPDATE summaries SET depth = depth + 3 WHERE summary_id = :id'),
]
