import { countAt, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { isTurn, isTyped } from './messages.ts'

/** A message in the window: the line that begins it, and what going back and compactions ask about it. */
type Said = {
  readonly kind: 'said'
  readonly line: number
  /** True for a prompt with which a turn began. Going back counts these. */
  readonly isTurn: boolean
  /** True for a prompt of the person, which a compaction keeps. */
  readonly isTyped: boolean
  readonly isInjected: boolean
  readonly isSummary: boolean
  readonly id: string | null
  /** The prompt with which it was injected. */
  readonly owner: string | null
}

type Change =
  | Said
  | { readonly kind: 'undo'; readonly line: number; readonly turns: number }
  | { readonly kind: 'clear'; readonly line: number }
  | {
      readonly kind: 'compaction'
      readonly line: number
      /** How many prompts were kept, and how many of them from the beginning. Null in logs of early versions. */
      readonly kept: number | null
      readonly keptFirst: number
      readonly compacted: number
    }

/** A branch. It begins behind `line`, and goes on from what its base had up to the line `upTo`. */
type Branch = { readonly name: string; readonly line: number; readonly base: string | null; readonly upTo: number }

/** These records change what stands before them. */
const changing = /^(?:agent\.switched|context\.(?:undo|undone|clear|apply_compaction)|profile\.bind|forked|metadata)$/

const FIRST: Branch = { name: 'main', line: 0, base: null, upTo: 0 }

/**
 * The first reading of a log: which of its lines are in the window of its end, and which prompts each compaction kept.
 * The log only grows, so what was taken back stands in it, and names the line up to which it holds.
 */
export class KimiWindow {
  readonly #changes: Change[] = []
  readonly #branches: Branch[] = [FIRST]
  /** The lines that say a second time, for earlier versions of the program, that turns were taken back. */
  readonly #saidTwice = new Set<number>()
  readonly #live = new Set<number>()
  readonly #kept = new Map<number, readonly number[]>()
  /** The lines at which the session was forked. What stands before the last of them is a copy. */
  readonly forks: number[] = []
  /** Whether nothing in what was read changes what stood before it. */
  onlyGrows = true

  add(record: JsonObject, line: number): void {
    const type = textAt(record, 'type') ?? ''
    if (changing.test(type) || (type === 'config.update' && 'systemPrompt' in record)) this.onlyGrows = false
    switch (type) {
      case 'context.append_message':
        this.#changes.push(saidIn(objectAt(record, 'message'), line))
        return
      case 'context.append_loop_event': {
        const begins = /^(?:step\.begin|tool\.result)$/.test(textAt(objectAt(record, 'event'), 'type') ?? '')
        if (begins) this.#changes.push({ ...ANSWER, line })
        return
      }
      case 'context.apply_compaction': {
        const compacted = countAt(record, 'compactedCount') ?? countAt(record, 'count') ?? 0
        const kept = record.legacyTail === true ? null : countAt(record, 'keptUserMessageCount')
        const keptFirst = countAt(record, 'keptHeadUserMessageCount') ?? 0
        this.#changes.push({ kind: 'compaction', line, kept, keptFirst, compacted })
        return
      }
      case 'context.clear':
        this.#changes.push({ kind: 'clear', line })
        return
      case 'context.undo':
        this.#changes.push({ kind: 'undo', line, turns: countAt(record, 'count') ?? 0 })
        return
      case 'agent.switched':
        this.#switch(record, line)
        return
      case 'forked':
        this.forks.push(line)
    }
  }

  finish(): void {
    let window: Said[] = []
    for (const change of this.#path()) {
      switch (change.kind) {
        case 'said':
          window.push(change)
          this.#live.add(change.line)
          break
        case 'clear':
          window = []
          this.#live.clear()
          break
        case 'undo': {
          const cut = turnsBack(window, change.turns)
          for (const { line } of window.slice(cut)) this.#live.delete(line)
          window = window.slice(0, cut)
          break
        }
        case 'compaction': {
          const { line, kept } = change
          const stays = kept === null ? window.slice(change.compacted) : keptOf(window, kept, change.keptFirst)
          this.#kept.set(
            line,
            stays.map((said) => said.line),
          )
          this.#live.add(line)
          const summary = { ...ANSWER, line, isSummary: true }
          window = kept === null ? [summary, ...stays] : [...stays, summary]
        }
      }
    }
  }

  /** How often the session was forked since something was said. */
  get forksAtEnd(): number {
    const last = this.#changes.at(-1)?.line ?? 0
    return this.forks.filter((line) => line > last).length
  }

  /** Whether the message that begins at a line was neither taken back nor cleared. */
  isLive(line: number): boolean {
    return this.#live.has(line)
  }

  /** The lines of the messages that a compaction left in the window. */
  keptAt(line: number): readonly number[] {
    return this.#kept.get(line) ?? []
  }

  #switch(record: JsonObject, line: number): void {
    const base = objectAt(record, 'base')
    const [name, from, upTo] = [textAt(record, 'branch'), textAt(base, 'branch'), countAt(base, 'line')]
    if (name === null || from === null || upTo === null) return
    this.#branches.push({ name, line, base: from, upTo })
    const twice = countAt(record, 'legacyUndoLine')
    if (twice !== null) this.#saidTwice.add(twice)
  }

  /** The changes that lead to the end of the log, in the order of its lines: those of the last branch and of its bases. */
  #path(): readonly Change[] {
    const parts = this.#parts()
    const isOnPath = ({ line }: Change): boolean => parts.some(({ from, upTo }) => line > from && line <= upTo)
    const onPath = new Set(this.#changes.filter((change) => isOnPath(change) && !this.#saidTwice.has(change.line)))
    const prompts = new Set([...onPath].flatMap((change) => (change.kind === 'said' && change.isTurn ? change.id : [])))
    // What the program put in by itself stays when the turn behind it is taken back.
    const stays = (change: Change): boolean =>
      change.kind === 'said' && change.isInjected && (change.owner === null || prompts.has(change.owner))
    return this.#changes.filter((change) => onPath.has(change) || stays(change))
  }

  #parts(): readonly { readonly from: number; readonly upTo: number }[] {
    const ends = new Map(this.#branches.map(({ name }, at) => [name, this.#branches[at + 1]?.line ?? Infinity]))
    const named = new Map(this.#branches.map((branch) => [branch.name, branch]))
    const parts: { from: number; upTo: number }[] = []
    let branch = this.#branches.at(-1) ?? null
    let upTo = Number.POSITIVE_INFINITY
    while (branch !== null) {
      parts.push({ from: branch.line, upTo: Math.min(upTo, ends.get(branch.name) ?? upTo) })
      // A log that names branches in a circle ends here.
      named.delete(branch.name)
      upTo = branch.upTo
      branch = named.get(branch.base ?? '') ?? null
    }
    return parts
  }
}

const ANSWER: Omit<Said, 'line'> = {
  kind: 'said',
  isTurn: false,
  isTyped: false,
  isInjected: false,
  isSummary: false,
  id: null,
  owner: null,
}

function saidIn(message: JsonObject, line: number): Said {
  const origin = objectAt(message, 'origin')
  return {
    kind: 'said',
    line,
    isTurn: isTurn(message),
    isTyped: isTyped(message),
    isInjected: origin.kind === 'injection',
    isSummary: origin.kind === 'compaction_summary',
    id: textAt(message, 'id'),
    owner: textAt(origin, 'ownerPromptId'),
  }
}

/** Returns where the window is cut when turns are taken back: at its end when there are fewer since the last summary. */
function turnsBack(window: readonly Said[], turns: number): number {
  let left = turns
  for (let at = window.length - 1; at >= 0 && left > 0; at -= 1) {
    const said = window[at]
    if (said?.isSummary) break
    if (!said?.isTurn) continue
    left -= 1
    if (left > 0) continue
    let cut = at
    while (cut > 0 && window[cut - 1]?.isInjected && window[cut - 1]?.owner === said.id && said.id !== null) cut -= 1
    return cut
  }
  return window.length
}

function keptOf(window: readonly Said[], kept: number, keptFirst: number): readonly Said[] {
  const typed = window.filter((said) => said.isTyped && !said.isSummary)
  const last = Math.max(0, kept - keptFirst)
  return [...new Set([...typed.slice(0, keptFirst), ...typed.slice(Math.max(0, typed.length - last))])]
}
