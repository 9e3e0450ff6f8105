import { sha256 } from '../../../../hashing.ts'
import { type JsonObject, objectAt, textAt } from '../../json-value.ts'
import { oneLine } from '../../one-line.ts'

const digest = (text: string): string => sha256(text.trim(), 'base64').slice(0, 16)

/**
 * Matches words that the program wrote in the name of the user, for files without the events that say what was typed.
 */
const injected =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|recommended_plugins|turn_aborted|collaboration_mode|skills_instructions|apps_instructions|plugins_instructions|subagent_notification|user_shell_command|INSTRUCTIONS)\b|# AGENTS\.md instructions|The following is the Codex agent history)/

export const isContext = (text: string): boolean => injected.test(text)

/** The first reading finds the texts that a person typed, and the name of the session. */
export class CodexSurvey {
  readonly #typed = new Set<string>()
  #name: string | null = null

  add(record: JsonObject): void {
    if (record.type !== 'event_msg') return
    const payload = objectAt(record, 'payload')
    if (payload.type === 'user_message') {
      const text = textAt(payload, 'message')
      if (text === null) return
      this.#typed.add(digest(text))
    } else if (payload.type === 'thread_name_updated') {
      this.#name = textAt(payload, 'thread_name') ?? textAt(payload, 'name') ?? this.#name
    }
  }

  /** The last name that the thread was given. */
  get name(): string | null {
    return this.#name === null ? null : oneLine(this.#name)
  }

  isTyped(text: string): boolean {
    return this.#typed.has(digest(text))
  }

  /** Says whether the text of a user message was not typed by a person. */
  isInjected(text: string): boolean {
    return isContext(text) || (this.#typed.size > 0 && !this.isTyped(text))
  }
}
