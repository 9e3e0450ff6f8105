import { type Fault, one, SUMMARIES } from './fault.ts'

export const valueFaults: readonly Fault[] = [
  one('an impossible kind', 'invalid_value', SUMMARIES, "UPDATE summaries SET kind = 'branch' WHERE summary_id = :id"),
]
