import { join } from 'node:path'

/** The file with the events of all runs. Decapod has it under the same name beside its memory. */
export const eventsPath = (record: string): string => join(record, 'map.events.jsonl')
/** The folder with the journals. */
export const runsFolder = (record: string): string => join(record, 'map-runs')
export const journalPath = (record: string, id: string): string => join(runsFolder(record), `${id}${JOURNAL}`)
export const LOCK = '.lock'
export const lockPath = (journal: string): string => `${journal}${LOCK}`

const JOURNAL = '.jsonl'

/** Returns the id of the run whose journal has this name, or null for another file. */
export const runIdOf = (name: string): string | null =>
  /^([0-9a-f]{16}(?:-[1-9]\d{0,8})?)\.jsonl$/.exec(name)?.[1] ?? null
