import type {
  CompactionResult,
  CompactionSettings,
  ContextItem,
  Description,
  ErrorCode,
  ExpandInput,
  ExpandQueryInput,
  ExpandQueryResult,
  Expansion,
  GrepInput,
  GrepResult,
  HostCompactInput,
  HostMessage,
  HostStatus,
  HostStatusInput,
  IngestInput,
  IngestResult,
  IntegrityReport,
  JobResult,
  JobSpec,
  LcmEvent,
  MemoryInfo,
  Message,
  Procedures,
  Recalled,
  RecallInput,
  StoredInput,
  StoredMessages,
  WindowForModel,
  WindowInput,
} from './types.ts'

/**
 * What the package `lcm-inspector` declares to others (docs/library.md). The compiler writes its declarations from this
 * file, and `library.ts` has to agree with it.
 */
export type OpenOptions = {
  /** Makes a native memory where nothing stands yet. Its folder must exist. Default: false. */
  readonly create?: boolean
  /** Opens a native memory for reading only. Memories of other systems are never written. Default: false. */
  readonly readOnly?: boolean
  /** Opens a native memory of a newer version, for reading only. Default: false. */
  readonly allowNewer?: boolean
  /** The name of the agent. Session ids are unique for one agent. Default: `agent`. */
  readonly agent?: string
  /** Who writes summaries: `deterministic` (the default), a configured provider, or `chain` for all of them in order. */
  readonly summarizer?: string
  /**
   * Compacts without being asked: in the background from the soft threshold on, and before `assemble` answers at the
   * hard one. Default: false, so that only `compactIfNeeded` and `compact` do.
   */
  readonly autoCompact?: boolean
  /** These values before the configured ones, such as `{ budgetTokens: 32_000 }`. */
  readonly compaction?: Partial<CompactionSettings>
}

export type CallOptions = { readonly signal?: AbortSignal }

/**
 * Opens a memory: a native one, or read-only one of another system.
 * @throws LcmError that says why it cannot be opened
 */
export declare function openLcm(path: string, options?: OpenOptions): Promise<Lcm>

/** An open memory. Every call fails with an `LcmError`. */
export interface Lcm {
  readonly info: MemoryInfo
  readonly store: ConversationStore
  /** Stores messages. It answers when they are in the file, and storing them again changes nothing. */
  ingest(input: IngestInput, options?: CallOptions): Promise<IngestResult>
  /** Returns what the model is to be sent next: the system text and the messages of its provider. */
  assemble(input: WindowInput, options?: CallOptions): Promise<WindowForModel>
  /** Compacts when a threshold is reached, and no further than under it. Returns null when none is. */
  compactIfNeeded(input: Omit<HostCompactInput, 'ifNeeded'>, options?: CallOptions): Promise<CompactionResult | null>
  /** Compacts now. `skipped` of the answer says why nothing was done. */
  compact(input: Omit<HostCompactInput, 'ifNeeded'>, options?: CallOptions): Promise<CompactionResult>
  /** Finds passages outside of the window for a query. Without a query, says what left the window. */
  recall(input: RecallInput, options?: CallOptions): Promise<Recalled>
  /** The newest messages of a session, by the ids of its host. */
  stored(input: StoredInput, options?: CallOptions): Promise<StoredMessages>
  status(input: HostStatusInput): Promise<HostStatus>
  grep(input: GrepInput, options?: CallOptions): Promise<GrepResult>
  /** Everything known of a message, summary or file. */
  describe(id: string, options?: CallOptions & { readonly contentChars?: number }): Promise<Description>
  expand(input: ExpandInput, options?: CallOptions): Promise<Expansion>
  /** Answers a question from what summaries cover, with citations. */
  expandQuery(input: ExpandQueryInput, options?: CallOptions): Promise<ExpandQueryResult>
  /** Checks the file, or one conversation of it. */
  integrity(input?: { readonly conversationId?: number }, options?: CallOptions): Promise<IntegrityReport>
  /** Runs a job to its end (`jobs.start` lists the kinds), and returns its value. An abort cancels it. */
  job<Kind extends JobSpec['kind']>(
    spec: Extract<JobSpec, { readonly kind: Kind }>,
    options?: CallOptions,
  ): Promise<Extract<JobResult, { readonly kind: Kind }>['value']>
  /** Makes any call of the contract by its name, such as `lineage.of` (docs/reference.md lists them). */
  call<Name extends keyof Procedures>(
    name: Name,
    input: Procedures[Name]['input'],
    options?: CallOptions,
  ): Promise<Procedures[Name]['output']>
  /** Calls `listener` with every event until the returned function is called. */
  subscribe(listener: (event: LcmEvent) => void): () => void
  /** Stops what is under way and closes the file. */
  close(): Promise<void>
}

/**
 * The store by the names of the internal service specification. What would leave a summary without its links or a
 * message outside of its window is no call of its own (docs/decisions/0026-library.md).
 */
export interface ConversationStore {
  /** Stores a message with its parts and its entry in the window. */
  createMessage(input: Omit<IngestInput, 'messages'> & { readonly message: HostMessage }): Promise<IngestResult>
  /** The entries of the window, in order. */
  getContextItems(conversationId: number): Promise<ContextItem[]>
  /** Null when there is no such summary. */
  getSummary(summaryId: string): Promise<Description | null>
  /** The summaries that a condensed summary was made from, in order. */
  getSummaryChildren(summaryId: string): Promise<Description[]>
  /** The messages that a leaf was made from, in order. */
  getSummaryMessages(summaryId: string): Promise<Message[]>
  searchMessages(input: Omit<GrepInput, 'scope'>, options?: CallOptions): Promise<GrepResult>
  searchSummaries(input: Omit<GrepInput, 'scope'>, options?: CallOptions): Promise<GrepResult>
}

/** `message` says what happened, to what, and what to do. */
export declare class LcmError extends Error {
  readonly code: ErrorCode
  /** Facts for programs; never text of a conversation. */
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Whether the same call may succeed later. */
  get retryable(): boolean
  constructor(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>, options?: ErrorOptions)
}
