import type { NewMessage, NewPart } from '../new-message.ts'
import type { BlockPart } from './content-blocks.ts'

/** What a record becomes: a whole message, or blocks of an assistant message that arrives over several records. */
export type Draft =
  | {
      readonly kind: 'whole'
      readonly message: NewMessage
      /** The agent compacted its window here, and this message records it. */
      readonly compaction?: DraftCompaction
    }
  | {
      readonly kind: 'blocks'
      /** Id of the message at the API, the same on every record that carries a part of it. */
      readonly apiId: string
      readonly blocks: readonly BlockPart[]
      readonly createdAtMs: number
      /** What the step cost so far; the last one counts. */
      readonly finish: NewPart | null
      readonly marks: Marks
    }

export type DraftCompaction = {
  readonly key: string
  /** The agent's summary; null when the transcript has none. */
  readonly text: string | null
  readonly isAuto: boolean | null
  /** Ids of records that stayed in the window as they were, or of the first of them. */
  readonly kept: { readonly from: string } | { readonly ids: readonly string[] } | null
}

/** Facts about a message for which the schema has no column; kept in the metadata of its first part. */
export type Marks = Readonly<Record<string, string | number | boolean>>

export function withMarks(parts: readonly NewPart[], marks: Marks): NewPart[] {
  const [first, ...rest] = parts
  if (Object.keys(marks).length === 0) return [...parts]
  if (first === undefined) return [{ type: 'text', text: null, metadata: JSON.stringify(marks) }]
  const known: unknown = first.metadata ? JSON.parse(first.metadata) : {}
  return [{ ...first, metadata: JSON.stringify({ ...marks, ...(known as object) }) }, ...rest]
}

/** Text of a message from its blocks: those that have text, a blank line between them. */
export const contentOf = (blocks: readonly BlockPart[]): string =>
  blocks
    .map((block) => block.text)
    .filter((text) => text !== null)
    .join('\n\n')
