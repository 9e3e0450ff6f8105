/** Claude Code, opencode and OpenClaw send this text instead of an old tool result. */
export const CLEARED = '[Old tool result content cleared]'

/** Agents write these texts alone in the place of something that they removed. */
const placeholders: ReadonlySet<string> = new Set([CLEARED, '[compacted: tool output removed to free context]'])

/** Says whether the output of a tool is only the text that stands in the place of a removed one. */
export const isClearedOutput = (output: string): boolean => placeholders.has(output.trim())

/** Gemini CLI moves an old output into a file, and keeps this text with its beginning and end. */
export const isMasked = (output: string): boolean => output.trimStart().startsWith('<tool_output_masked>')
