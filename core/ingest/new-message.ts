import type { PartType, Role } from '../contract/ids.ts'

/** One block of a message to store. What is left out is stored as NULL. */
export type NewPart = {
  readonly type: PartType
  /** Text of text, reasoning and compaction parts. */
  readonly text?: string | null
  readonly toolCallId?: string | null
  readonly toolName?: string | null
  readonly toolStatus?: string | null
  readonly toolTitle?: string | null
  /** JSON text. */
  readonly toolInput?: string | null
  readonly toolOutput?: string | null
  readonly toolError?: string | null
  readonly fileName?: string | null
  readonly fileMime?: string | null
  readonly fileUrl?: string | null
  /** For step_finish parts: why the model stopped, and what the step cost. */
  readonly stepReason?: string | null
  readonly stepTokensIn?: number | null
  readonly stepTokensOut?: number | null
  readonly isSynthetic?: boolean
  /** For compaction parts: started by a threshold (true) or by hand. */
  readonly compactionAuto?: boolean | null
  /** JSON text. */
  readonly metadata?: string | null
}

/** A message on its way into the store. */
export type NewMessage = {
  /** Unique in its conversation; null for a message that has no identity of its own (never recognised again). */
  readonly externalId: string | null
  /** It may be stored under this id, from a moment at which the transcript did not say yet what it would be. */
  readonly formerId?: string | null
  /** Where it is stored half written: what is stored of it, and what goes on where that ends. */
  readonly cut?: readonly NewMessage[]
  readonly role: Role
  readonly content: string
  readonly createdAtMs: number
  readonly parts: readonly NewPart[]
}

/** How much text there is to store, about. */
export function textUnits({ content, parts }: NewMessage): number {
  let units = content.length
  for (const { toolInput, toolOutput, text } of parts) {
    units += (toolInput?.length ?? 0) + (toolOutput?.length ?? 0) + (text?.length ?? 0)
  }
  return units
}
