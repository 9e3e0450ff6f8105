import { isObject, type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'
import { parsedJson } from '#core/parsed-json.ts'

/** The agents that start a program at certain moments of a session, and tell it as JSON which moment it is. */
export const HOOKED_AGENTS = ['claude-code', 'codex'] as const
export type HookedAgent = (typeof HOOKED_AGENTS)[number]

export const isHookedAgent = (name: string | undefined): name is HookedAgent =>
  HOOKED_AGENTS.some((agent) => agent === name)

/** What an agent says when it starts a hook. Both agents use these names. */
export type HookEvent = {
  readonly name: string
  readonly sessionId: string
  /** Null when the agent keeps no transcript. The file may not be there yet. */
  readonly transcriptPath: string | null
  /** Why a session starts: startup, resume, clear or compact. */
  readonly source: string | null
  /** The whole text of the sub-agent that ended; Claude Code has one write its summaries. */
  readonly summary: string | null
}

/** Returns null for what is no event of an agent. */
export function readHookEvent(text: string): HookEvent | null {
  const given = objectIn(text)
  const name = textAt(given, 'hook_event_name')
  const sessionId = textAt(given, 'session_id')
  if (name === null || sessionId === null) return null
  const isUnnamedAgent = name === 'SubagentStop' && (textAt(given, 'agent_type') ?? '') === ''
  return {
    ...{ name, sessionId },
    transcriptPath: textAt(given, 'transcript_path'),
    source: textAt(given, 'source'),
    summary: isUnnamedAgent ? textAt(given, 'last_assistant_message') : null,
  }
}

/** After a compaction the session starts again, and what this hook prints is put before the model. */
export const isAfterCompaction = ({ name, source }: HookEvent): boolean =>
  name === 'SessionStart' && source === 'compact'

/** Whether the session is over. Codex does not say it. */
export const isEnd = ({ name }: HookEvent): boolean => name === 'SessionEnd'

/** Returns an empty object for what is no JSON object. */
function objectIn(text: string): JsonObject {
  const value = parsedJson(text)
  return isObject(value) ? value : {}
}
