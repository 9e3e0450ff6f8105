import { sha256 } from '#core/hashing.ts'
import { type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'

/** The texts of skills that were invoked, to which later events refer by their hashes. */
export class CopilotSkills {
  readonly #texts = new Map<string, string>()

  invoked(data: JsonObject): void {
    const text = textAt(data, 'content')
    if (text !== null) this.#texts.set(`sha256:${sha256(text)}`, text)
  }

  /** Returns what the model was sent of a skill that it asked for, or null when the text stands nowhere before. */
  delivered(data: JsonObject): string | null {
    const named = textAt(data, 'contentId')
    if (named === null) return textAt(data, 'content')
    const text = this.#texts.get(named)
    return text === undefined ? null : `${textAt(data, 'prefix') ?? ''}${text}${textAt(data, 'suffix') ?? ''}`
  }
}
