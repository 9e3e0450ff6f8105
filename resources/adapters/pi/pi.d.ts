/** What this adapter uses of the extension interface of Pi 1.6 (docs/extensions.md of @earendil-works/pi-coding-agent). */

export type Entry = {
  readonly type: string
  readonly id: string
  readonly customType?: string
  readonly data?: { readonly session?: unknown }
  readonly details?: unknown
}

type SessionManager = {
  getSessionId(): string
  getSessionFile(): string | undefined
  getHeader(): { readonly parentSession?: string } | null
  getEntries(): readonly Entry[]
  /** From the root to the newest entry of the branch. */
  getBranch(): readonly Entry[]
}

export type Context = {
  readonly cwd: string
  readonly hasUI: boolean
  readonly model: { readonly contextWindow?: number } | undefined
  readonly sessionManager: SessionManager
  readonly ui: {
    notify(message: string, type?: 'info' | 'warning' | 'error'): void
    setStatus(key: string, text: string | undefined): void
  }
  compact(): void
}

export type Compaction = {
  readonly summary: string
  readonly firstKeptEntryId: string
  readonly tokensBefore: number
  readonly details: { readonly lcm: OwnCompaction }
}

/** What a compaction entry of this adapter says of itself. */
export type OwnCompaction = { readonly runs: readonly string[]; readonly summaries: readonly string[] }

type Events = {
  session_start: { readonly reason: string }
  session_shutdown: { readonly reason: string }
  session_tree: object
  message_end: object
  turn_end: object
  agent_end: object
  before_agent_start: {
    readonly systemPrompt: string
    readonly systemPromptOptions?: { readonly sections?: Record<string, string> }
  }
  session_before_compact: {
    readonly preparation: {
      readonly firstKeptEntryId: string
      readonly tokensBefore: number
      readonly settings?: { readonly reserveTokens?: number }
    }
    readonly branchEntries?: readonly Entry[]
    readonly customInstructions?: string
    readonly signal: AbortSignal
  }
  session_compact: { readonly compactionEntry: Entry }
  session_compact_failed: object
}

type Result = {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly details: unknown
}

export type Pi = {
  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name], ctx: Context) => unknown): void
  registerTool(tool: {
    readonly name: string
    readonly label: string
    readonly description: string
    readonly promptSnippet: string
    readonly parameters: object
    readonly execute: (
      callId: string,
      input: Record<string, unknown>,
      signal: AbortSignal | undefined,
      onUpdate: unknown,
      ctx: Context,
    ) => Promise<Result>
  }): void
  registerCommand(
    name: string,
    command: {
      readonly description: string
      readonly getArgumentCompletions?: (prefix: string) => { value: string; label: string }[] | null
      readonly handler: (args: string, ctx: Context) => Promise<void>
    },
  ): void
  appendEntry(customType: string, data: unknown): void
  /** The settings of the person and of the project, merged. */
  getSettings(): unknown
}
