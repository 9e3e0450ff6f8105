import type { TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { ClaudeCodeSurvey } from './survey.ts'

/** What a fork copied from the session that it was forked from. */
export class ForkedBeginning {
  readonly #survey: ClaudeCodeSurvey
  readonly #source: TranscriptSource
  /** The session that the fork names, or null where the copies are taken for messages of its own. */
  readonly parent: string | null
  /** Whether a message was met that the parent does not have. */
  #hasOwn = false

  /**
   * A fork that begins with a summary has none of what the summary replaced, so its copies cannot become the beginning of
   * its parent. They are messages of its own when it is stored before its parent, and stay so.
   */
  constructor(survey: ClaudeCodeSurvey, source: TranscriptSource) {
    this.#survey = survey
    this.#source = source
    const { firstBoundary, key, parent } = survey
    const isBefore = (): boolean => parent !== null && !source.hasSession(parent)
    const isStored = (id: string): boolean => source.storedBlocks(key?.sessionId ?? '', id) !== undefined
    this.parent = firstBoundary !== null && (isStored(firstBoundary) || isBefore()) ? null : parent
  }

  /**
   * Returns the session from which a message of the fork was copied, or null. Only answers say so: what was copied after
   * the last of them is recognised by the messages of the parent.
   */
  originOf(externalId: string | null, line: number): string | null {
    if (this.parent === null) return null
    const named = this.#survey.originOf(line)
    if (named !== null || this.#hasOwn) return named
    this.#hasOwn = externalId === null || this.#source.storedBlocks(this.parent, externalId) === undefined
    return this.#hasOwn ? null : this.parent
  }
}
