/** What Claude Code, opencode and OpenClaw send in the place of an old tool result that they no longer send. */
export const CLEARED = '[Old tool result content cleared]'

/** Texts by which agents say that something stood here; they stand alone. */
const placeholders: ReadonlySet<string> = new Set([CLEARED, '[compacted: tool output removed to free context]'])

/** The transcript itself has only what the agent put in the place of a result. */
export const isPlaceholder = (output: string): boolean => placeholders.has(output.trim())

/** Gemini CLI puts an old output into a file, and this with its beginning and end in its place. */
export const isMasked = (output: string): boolean => output.trimStart().startsWith('<tool_output_masked>')
