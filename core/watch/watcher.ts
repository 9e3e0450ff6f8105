import type { CheckResult } from '../contract/integrity.ts'
import type { ListedConversation } from '../contract/memory.ts'
import { type WatchFinding, WatchKind, type WatchReport } from '../contract/watch.ts'
import { rules } from '../doctor/rules/rules.ts'
import type { Lcm } from '../lcm.ts'
import type { Surroundings } from '../systems/places.ts'
import { changeStamp } from '../systems/reading/change-stamp.ts'
import { plural } from '../text.ts'
import { runToEnd } from '../yielding.ts'
import { Arrivals } from './arrivals.ts'
import { conversationFindings } from './conversation-findings.ts'
import { Growth } from './growth.ts'

/** Rules of the checks that are of use while an agent works. */
const WATCHED = rules.filter(({ id }) => WatchKind.safeParse(id).success)
/** A conversation without a change for this long is over: what is wrong with its window hurts nobody now. */
const RECENT_MS = 24 * 3_600_000
/** Findings are kept this long for an unchanged file. Some end with time alone, such as breaks an hour ago. */
const KNOWN_MS = 5 * 60_000
/** At most this many conversations are looked at: those that changed last. */
const MOST_CONVERSATIONS = 20

/**
 * Says what is wrong with a memory while its agent works. It only reads. Growth is found from the second look on, because
 * it is measured between two looks. Rules and conversations are looked at again when the file changed, and every five
 * minutes.
 */
export class Watcher {
  readonly #arrivals: Arrivals
  readonly #growth = new Growth()
  #read: {
    readonly lcm: Lcm
    readonly stamp: string
    readonly atMs: number
    readonly findings: readonly WatchFinding[]
  } | null = null

  /**
   * @param where the folders in which agents of this computer keep their transcripts
   * @param dataDir the data folder of the app
   */
  constructor(where: Surroundings, dataDir: string) {
    this.#arrivals = new Arrivals(where, dataDir)
  }

  /** @throws LcmError cancelled, sqlite_failed */
  async look(lcm: Lcm, signal: AbortSignal): Promise<WatchReport> {
    const began = performance.now()
    const nowMs = lcm.clock()
    const all = lcm.stats.listed().filter(({ internal }) => !internal)
    const messages = all.reduce((sum, one) => sum + one.messages, 0)
    const inUse = all
      .filter(({ updatedAtMs, archivedAtMs }) => archivedAtMs === null && nowMs - (updatedAtMs ?? 0) < RECENT_MS)
      .sort((a, b) => (b.updatedAtMs ?? 0) - (a.updatedAtMs ?? 0))
      .slice(0, MOST_CONVERSATIONS)
    const findings = [
      ...(await this.#arrivals.find(lcm, all, nowMs, signal)),
      ...(await this.#fileFindings(lcm, inUse, nowMs, signal)),
      ...this.#growth.find(lcm.info.path, messages, nowMs),
    ]
    findings.sort((a, b) => rankOf(a) - rankOf(b))
    return { atMs: nowMs, findings, tookMs: performance.now() - began }
  }

  async #fileFindings(
    lcm: Lcm,
    inUse: readonly ListedConversation[],
    nowMs: number,
    signal: AbortSignal,
  ): Promise<readonly WatchFinding[]> {
    const stamp = changeStamp(lcm.read)
    const known = this.#read
    if (known?.lcm === lcm && known.stamp === stamp && nowMs - known.atMs < KNOWN_MS) return known.findings
    const { integrity } = await lcm.doctor()
    const { report } = await runToEnd(integrity.examine(undefined, signal, { asked: WATCHED, kept: [] }))
    const findings = report.checks.flatMap((check) => ruleFinding(check) ?? [])
    for (const { conversationId } of inUse)
      findings.push(...(await conversationFindings(lcm, conversationId, nowMs, signal)))
    this.#read = { lcm, stamp, atMs: nowMs, findings }
    return findings
  }
}

const rankOf = ({ severity }: WatchFinding): number => (severity === 'error' ? 0 : 1)

function ruleFinding({ id, severity, count, samples, advice }: CheckResult): WatchFinding | null {
  const kind = WatchKind.safeParse(id).data
  if (count === 0 || severity === 'info' || kind === undefined) return null
  const [first] = samples
  return {
    ...{ kind, severity, sinceMs: null },
    conversationId: first?.conversationId ?? null,
    text: `${RULE_TEXTS[kind] ?? kind}: ${plural(count, 'finding')}${first?.id == null ? '' : `, the first one at ${named(first.id)}`}.`,
    mend: advice ?? 'See the check.',
    command: 'lcm repair --plan',
  }
}

/** Ids of summaries are as their system gave them, and some are only numbers. */
const named = (id: string): string => (id.startsWith('msg_') ? `message ${id.slice('msg_'.length)}` : `summary ${id}`)

const RULE_TEXTS: Partial<Record<WatchKind, string>> = {
  empty_summary: 'Summaries say nothing',
  skeletal_summary: 'Summaries have headings and no text',
  fallback_summary: 'The summariser failed, and something else stands in place of summaries',
  truncated_summary: 'Summaries are cut off',
  broken_chain: 'A resume would not load the whole window, because a record names a parent that was never written',
}
