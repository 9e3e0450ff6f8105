// Lists, limits and small functions without a schema: the renderer uses them without loading zod, which takes a third
// of the time in which a window's code starts.

/** Roles travel as indexes into this list (strata columns). */
export const ROLES = ['system', 'user', 'assistant', 'tool'] as const

/**
 * The kinds of details, in the order in which losses are listed. Decisions, constraints, negations and errors are whole
 * sentences. A question whose words contain no detail is traced by these words, and their kind is `words`.
 */
export const DETAIL_KINDS = [
  'decision',
  'constraint',
  'number',
  'path',
  'negation',
  'error',
  'id',
  'name',
  'quote',
  'words',
] as const

type OfKind = { readonly kind: (typeof DETAIL_KINDS)[number] }
export type LostInState<T> = { readonly state: 'changed' | 'dropped'; readonly detail: T }

/** Returns both lists of losses as one: decisions first, then the other kinds in order; of a kind what was changed first. */
export function lostByKind<T extends OfKind>(lost: {
  readonly changed: readonly T[]
  readonly dropped: readonly T[]
}): LostInState<T>[] {
  const all = (['changed', 'dropped'] as const).flatMap((state) => lost[state].map((detail) => ({ state, detail })))
  return all.sort((a, b) => DETAIL_KINDS.indexOf(a.detail.kind) - DETAIL_KINDS.indexOf(b.detail.kind))
}

/** Counts the sources of a plan by what they are. One that an earlier step of the plan makes is planned. */
export function sourceCounts(steps: readonly { readonly sources: readonly string[] }[]) {
  const counts = { messages: 0, summaries: 0, planned: 0 }
  for (const { sources } of steps)
    for (const id of sources)
      counts[id.startsWith('msg_') ? 'messages' : id.startsWith('step_') ? 'planned' : 'summaries'] += 1
  return counts
}

/** Whether an agent would know an answer, from the nearest to the farthest. */
export const PROBE_STATES = ['in_window', 'by_search', 'by_expanding', 'changed', 'dropped'] as const

/** The levels at which a summary can be obtained, from best to last resort. They travel as indexes into this list. */
export const SUMMARY_LEVELS = ['normal', 'aggressive', 'deterministic', 'unknown'] as const

/** The possible units of x. */
export const STRATA_AXES = ['messages', 'tokens', 'time'] as const

/** The least and the most that a map may be given. */
export const MAP_RANGES = {
  concurrency: { min: 1, max: 64 },
  retries: { min: 0, max: 20 },
  timeoutSeconds: { min: 1, max: 86_400 },
} as const

/**
 * How conversations are sorted: by their last change, by all tokens, by how full their windows are, by their messages,
 * their last compaction or their findings, the greatest first; or as a window chooses the one that it opens with.
 */
export const CONVERSATION_SORTS = [
  'change',
  'size',
  'pressure',
  'messages',
  'compaction',
  'findings',
  'opening',
] as const

/** What is logged, from the most to the least. `silent` logs nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Releases for everybody, releases for testers as well, or none. */
export const UPDATE_CHANNELS = ['latest', 'beta', 'off'] as const
export type UpdateChannel = (typeof UPDATE_CHANNELS)[number]

/** The longest text in which the matches of a search are asked for. */
export const MOST_MATCHED_CHARS = 400_000

/** A search traces at most this many of its hits. It does not say of the others what became of them. */
export const MOST_TRACED_HITS = 600

/** The beginning of the address of a PostgreSQL database, which a window shows instead of a file. */
export const POSTGRES_ADDRESS = /^postgres(ql)?:\/\//i

/** What the table of all conversations of all tenants is sorted by, the greatest or newest first. */
export const FLEET_SORTS = ['pressure', 'ingest', 'run', 'failures', 'findings', 'growth', 'messages'] as const

/** What is wrong with a conversation, or with what is stored for a tenant. */
export const FLEET_ALARMS = ['stalled_ingest', 'empty_summaries', 'failing_compaction'] as const

/** The protocols of providers. The models of the last kind turn texts into vectors, all others write. */
export const PROVIDER_KINDS = ['openai-compatible', 'anthropic', 'openai-embeddings'] as const

/** Whether a provider can be asked for summaries and other texts. */
export const isWriter = ({ kind }: { readonly kind: (typeof PROVIDER_KINDS)[number] }): boolean =>
  kind !== 'openai-embeddings'

/** The most tokens of one answer to an agent. Neither the agent nor the settings can raise it. */
export const MOST_AGENT_TOKENS = 8_000

/** A note is a remark, no document. */
export const MOST_NOTE_CHARS = 2000

/** Counts the checks of a report that ran. Those that do not apply to the file are left out. */
export const checksMade = (report: { readonly checks: readonly { readonly notApplicable: string | null }[] }): number =>
  report.checks.filter((check) => check.notApplicable === null).length

/** The text of a repair step tells which rows change and ends with this sentence; then comes the reason for the step. */
export const NOTHING_ELSE = 'Nothing else changes.'

/**
 * `Copying settled 4 findings and brought 3 that only a native file can have.` Nothing of it was done to the memory: a
 * native file stores less, or in another way, and has rules of its own.
 */
export function copyingText({
  settled,
  brought,
}: {
  readonly settled: readonly string[]
  readonly brought: readonly string[]
}): string {
  const findings = (count: number): string => (count === 1 ? '1 finding' : `${count} findings`)
  const parts = [
    settled.length > 0 ? `settled ${findings(settled.length)} of the original` : null,
    brought.length > 0
      ? `brought ${settled.length > 0 ? brought.length : findings(brought.length)} that only a native file can have`
      : null,
  ]
  return `Copying ${parts.filter((part) => part !== null).join(' and ')}.`
}

/** Jobs that change a memory by hand or by a repair. What was said of it before describes another file. */
export const CHANGING_JOBS: readonly string[] = ['repair', 'surgery', 'undo', 'undo_compaction']

/** Jobs that read or write what a check describes, so none of them begins by itself while another runs. */
const CHECKED_JOBS: readonly string[] = ['integrity', 'repair_plan', ...CHANGING_JOBS, 'compact', 'import']

export const isCheckedJobRunning = (jobs: readonly { readonly kind: string; readonly state: string }[]): boolean =>
  jobs.some(({ kind, state }) => state === 'running' && CHECKED_JOBS.includes(kind))
