import type { NewPart } from '../new-message.ts'

/** Facts about a message without a column in the schema. They are kept in the metadata of its first part. */
export type Marks = Readonly<Record<string, string | number | boolean>>

export function withMarks(parts: readonly NewPart[], marks: Marks): NewPart[] {
  const [first, ...rest] = parts
  if (Object.keys(marks).length === 0) return [...parts]
  if (first === undefined) return [{ type: 'text', text: null, metadata: JSON.stringify(marks) }]
  const known: unknown = first.metadata ? JSON.parse(first.metadata) : {}
  return [{ ...first, metadata: JSON.stringify({ ...marks, ...(known as object) }) }, ...rest]
}
