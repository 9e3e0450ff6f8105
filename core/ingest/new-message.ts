import type { PartType, Role } from '../contract/ids.ts'
import type { NewFile } from '../files/large-file-service.ts'

/** One block of a message to store. Fields that are left out are stored as NULL. */
export type NewPart = {
  readonly type: PartType
  /** The text of text, reasoning and compaction parts. */
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
  /** Only of patch parts: the state of the files that it leads to, and their paths as a JSON array. */
  readonly patchHash?: string | null
  readonly patchFiles?: string | null
  /** Only of subtask parts: what another agent was asked to do. */
  readonly subtaskPrompt?: string | null
  readonly subtaskDesc?: string | null
  readonly subtaskAgent?: string | null
  /** Only of step_finish parts: why the model stopped, and what the step cost, in the agent's currency. */
  readonly stepReason?: string | null
  readonly stepTokensIn?: number | null
  readonly stepTokensOut?: number | null
  readonly stepCost?: number | null
  /** Of snapshot parts, and of steps: the state of the files at that moment. */
  readonly snapshotHash?: string | null
  /** The agent shows it to its user and does not send it to the model. */
  readonly isIgnored?: boolean
  readonly isSynthetic?: boolean
  /** Only of compaction parts: true when a threshold started it, false when a user did. */
  readonly compactionAuto?: boolean | null
  /** JSON text. */
  readonly metadata?: string | null
}

/** A message on its way into the store. */
export type NewMessage = {
  /** Unique in its conversation. A message without an identity has null and is never recognised again. */
  readonly externalId: string | null
  /**
   * An earlier id of the message, under which it may be stored because the transcript did not contain its final id yet.
   */
  readonly formerId?: string | null
  /** The message divided where a half-written one may have ended: what may be stored of it, and what continues it. */
  readonly cut?: readonly NewMessage[]
  readonly role: Role
  readonly content: string
  readonly createdAtMs: number
  readonly parts: readonly NewPart[]
  /** The large files that its texts refer to. */
  readonly files?: readonly NewFile[]
}

/** To give a file its place takes about as long as storing so much text. */
const UNITS_A_FILE = 60_000

/** Returns about how much text has to be stored. */
export function textUnits({ content, parts, files }: Pick<NewMessage, 'content' | 'parts' | 'files'>): number {
  let units = content.length + (files ? files.length * UNITS_A_FILE : 0)
  for (const { toolInput, toolOutput, text } of parts) {
    units += (toolInput?.length ?? 0) + (toolOutput?.length ?? 0) + (text?.length ?? 0)
  }
  return units
}
