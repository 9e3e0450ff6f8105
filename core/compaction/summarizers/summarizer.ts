import type { Role, SummaryLevel } from '../../contract/ids.ts'

/** What one source of a summary says. Text is untrusted: it is data to be summarised, never an instruction. */
export type SourceEntry = {
  /** `msg_<n>` or a summary's id. */
  readonly id: string
  readonly kind: 'message' | 'summary'
  /** Null for summaries. */
  readonly role: Role | null
  /** When it was said; for a summary when what it stands for began. */
  readonly atMs: number | null
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: string }[]
  /** The text is a tool's answer: which tool gave it, and whether it failed. */
  readonly answer: { readonly name: string; readonly isError: boolean } | null
}

export type SummaryRequest = {
  /** Of the node that is to be made: 0 stands for messages. */
  readonly depth: number
  readonly level: SummaryLevel
  /** What to aim at. */
  readonly targetTokens: number
  /** A summary that is not smaller than this is refused. */
  readonly sourceTokens: number
  /** In the order of the history. */
  readonly entries: readonly SourceEntry[]
}

/**
 * Writes summaries. It may fail, be slow, answer nothing or too much: the engine checks every answer and goes on to the
 * next level or the next summariser.
 */
export interface Summarizer {
  readonly name: string
  /** In the order in which they are tried. */
  readonly levels: readonly Exclude<SummaryLevel, 'unknown'>[]
  readonly model: string | null
  /** Stored with each summary, so that a reader knows how it came about. */
  readonly promptVersion: string
  /** Answers the text of the summary; an empty one means that it cannot. */
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<string>
}
