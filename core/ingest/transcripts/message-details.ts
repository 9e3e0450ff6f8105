import type { NewPart } from '../new-message.ts'

/** Facts about a message without a column in the schema. They are kept in the metadata of its first part. */
export type MessageDetails = Readonly<Record<string, string | number | boolean>>

export function withDetails(parts: readonly NewPart[], details: MessageDetails): NewPart[] {
  const [first, ...rest] = parts
  if (Object.keys(details).length === 0) return [...parts]
  if (first === undefined) return [{ type: 'text', text: null, metadata: JSON.stringify(details) }]
  const known: unknown = first.metadata ? JSON.parse(first.metadata) : {}
  return [{ ...first, metadata: JSON.stringify({ ...details, ...(known as object) }) }, ...rest]
}
