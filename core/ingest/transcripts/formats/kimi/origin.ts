import { type JsonObject, objectAt } from '#core/ingest/transcripts/json-value.ts'

/** Whether the person gave the prompt. It also counts when the text is that of a skill or command that the person named. */
export function isTyped(message: JsonObject): boolean {
  const { kind = 'user', trigger } = objectAt(message, 'origin')
  if (message.role !== 'user') return false
  return kind === 'user' || ((kind === 'skill_activation' || kind === 'plugin_command') && trigger === 'user-slash')
}

/** Whether a turn began with the prompt. One that was given while the model was working belongs to the turn before. */
export const isTurn = (message: JsonObject): boolean => isTyped(message) && objectAt(message, 'origin').inTurn !== true
