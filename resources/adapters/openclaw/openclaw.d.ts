/** What this adapter uses of the plugin interface of OpenClaw 2026.9 (docs/concepts/context-engine.md of its package). */

export type Message = {
  readonly role: string
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[]
  readonly timestamp?: number | undefined
  readonly usage?: { readonly totalTokens?: number }
}

type Compacted = {
  readonly ok: boolean
  readonly compacted: boolean
  readonly reason?: string
  readonly result?: { readonly tokensBefore: number; readonly tokensAfter: number }
}

export type ContextEngine = {
  readonly info: {
    readonly id: string
    readonly name: string
    readonly ownsCompaction: boolean
    readonly acceptedHostParams: readonly string[]
    readonly transcriptSemantics: object
  }
  bootstrap(given: { readonly sessionId: string }): Promise<{ readonly bootstrapped: boolean }>
  ingest(given: { readonly sessionId: string }): Promise<{ readonly ingested: boolean }>
  assemble(given: {
    readonly sessionId: string
    readonly messages: readonly Message[]
    readonly tokenBudget?: number
  }): Promise<{
    readonly messages: readonly Message[]
    readonly estimatedTokens: number
    readonly systemPromptAddition?: string
  }>
  compact(given: {
    readonly sessionId: string
    readonly tokenBudget?: number
    readonly abortSignal?: AbortSignal
  }): Promise<Compacted>
  commitTurn(given: { readonly sessionId: string }): Promise<{ readonly status: 'committed' }>
  dispose(): Promise<void>
}

export type Api = {
  readonly pluginConfig: {
    readonly node: string
    readonly cli: string
    readonly memory: string
    readonly summarizer?: string
  }
  readonly logger: { warn(text: string): void }
  registerTool(tool: {
    readonly name: string
    readonly label: string
    readonly description: string
    readonly parameters: object
    readonly execute: (
      callId: string,
      input: Record<string, unknown>,
      signal: AbortSignal | undefined,
    ) => Promise<{
      readonly content: readonly { readonly type: 'text'; readonly text: string }[]
      readonly details: object
    }>
  }): void
  registerService(service: {
    readonly id: string
    readonly start: () => void
    readonly stop: () => Promise<void>
  }): void
  registerContextEngine(id: string, factory: (context: { readonly agentDir?: string }) => ContextEngine): void
}
