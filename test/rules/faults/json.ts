import { type Fault, one, SUMMARIES } from './fault.ts'

export const jsonFaults: readonly Fault[] = [
  one(
    'a list of files that is no list',
    'malformed_json',
    SUMMARIES,
    "UPDATE summaries SET file_ids = '[\"file_' WHERE summary_id = :id",
  ),
]
