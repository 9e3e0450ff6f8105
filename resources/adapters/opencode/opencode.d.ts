/** What this adapter uses of the plugin interface of opencode 1.18 (`@opencode-ai/plugin`, https://opencode.ai/docs/plugins). */

type Part = { readonly id: string; readonly messageID: string; readonly sessionID: string; readonly type: string } & {
  readonly text?: string
  readonly synthetic?: boolean
}

type Tokens = {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cache: { readonly read: number; readonly write: number }
}

export type Message = {
  readonly info: {
    readonly id: string
    readonly role: 'user' | 'assistant'
    readonly sessionID: string
    readonly time: object
    readonly agent?: string | undefined
    readonly model?: object | undefined
    /** True for a summary by opencode; an answer is compared with the files that it changed by an object. */
    readonly summary?: unknown
    readonly tokens?: Tokens
  }
  readonly parts: readonly Part[]
}

/** In tokens. `input` is less than `context` where a model takes no more at once. */
export type Limit = { readonly context: number; readonly output: number; readonly input?: number }

export type Client = {
  readonly app?: { log(given: { body: { service: string; level: 'warn'; message: string } }): unknown }
  readonly tui?: { showToast(given: { body: { message: string; variant: 'warning' } }): unknown }
}

type Tool = {
  readonly description: string
  /** Schemas of arguments, all of which opencode asks for. */
  readonly args: Readonly<Record<string, unknown>>
  readonly execute: (
    input: Readonly<Record<string, unknown>>,
    context: { readonly abort: AbortSignal },
  ) => Promise<string>
}

export type Hooks = {
  readonly tool: Readonly<Record<string, Tool>>
  readonly 'tool.definition': (input: { readonly toolID: string }, output: object) => Promise<void>
  readonly event: (input: {
    readonly event: {
      readonly type: string
      readonly properties: { readonly sessionID?: string; readonly info?: { readonly revert?: object } }
    }
  }) => Promise<void>
  readonly 'experimental.chat.messages.transform': (input: object, output: { messages: Message[] }) => Promise<void>
  readonly 'experimental.chat.system.transform': (
    input: { readonly sessionID?: string; readonly model: { readonly limit: Limit } },
    output: { system: string[] },
  ) => Promise<void>
  readonly 'experimental.session.compacting': (
    input: { readonly sessionID: string },
    output: { context: string[] },
  ) => Promise<void>
  readonly dispose: () => Promise<void>
}
