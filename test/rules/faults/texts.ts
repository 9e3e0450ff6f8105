import { type Fault, one, SUMMARIES } from './fault.ts'

export const textFaults: readonly Fault[] = [
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
