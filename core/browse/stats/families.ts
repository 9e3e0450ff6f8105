import type { Family, FamilyMember, FamilyRelation, RecordedUsage } from '#core/contract/family.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { conversationExists, noSuchConversation } from '#core/systems/records/conversations.ts'
import { conversationsFrom, type FamilyHead, familyHeads, familyRoot } from '#core/systems/records/families.ts'
import { forkedConversations, forksWithoutCopies } from '#core/systems/records/forks.ts'
import { externalIdsOf, messagesOf, whatAndWhen } from '#core/systems/records/messages.ts'
import { statedCost } from '#core/systems/records/stated-costs.ts'
import { type StepUsage, stepsOfMessages } from '#core/systems/records/steps.ts'
import { TimeSlice } from '#core/yielding.ts'

type FamilyPlace = FamilyHead & Pick<FamilyMember, 'relation' | 'depth'>

type Names = ReadonlyMap<number, string>

const NO_NAMES: Names = new Map()
const AT_ONCE = 500

/** Families of conversations: forks and sub-agents with what they came from. */
export class Families {
  readonly #db: ReadDb

  constructor(db: ReadDb) {
    this.#db = db
  }

  /**
   * Returns the family of a conversation, from its first conversation on. What a fork repeats of its ancestors counts in
   * the conversation in which it was said.
   * @throws LcmError not_found, cancelled
   */
  async of(conversationId: number, signal?: AbortSignal): Promise<Family> {
    if (!conversationExists(this.#db, conversationId)) throw noSuchConversation(this.#db, conversationId)
    const slice = new TimeSlice(signal, 'Reading the family was cancelled.')
    const members: FamilyMember[] = []
    /** The names of what was said in each conversation and its ancestors. */
    const said = new Map<number, ReadonlySet<string>>()
    const placed = this.#placed(familyRoot(this.#db, conversationId))
    const withoutCopies = forksWithoutCopies(this.#db)
    const parents = new Set(placed.map(({ parentConversationId }) => parentConversationId))
    for (const head of placed) {
      const all = messagesOf(this.#db, head.conversationId)
      const above = said.get(head.parentConversationId ?? -1) ?? new Set<string>()
      // One without relatives has no copies.
      const named = placed.length > 1 ? await this.#byMessage(externalIdsOf, all, slice) : NO_NAMES
      const stamped = placed.length > 1 ? await this.#byMessage(whatAndWhen, all, slice) : NO_NAMES
      const mayBeCopies = head.relation === 'fork' && !withoutCopies.has(head.conversationId)
      const isCopy = (id: number): boolean => {
        const [isNamedAlike, isSameMoment] = [named, stamped].map((names) => above.has(names.get(id) ?? ''))
        // Codex has no ids, so that equal texts of two sessions are named alike. A fork that was imported alone has
        // copies under ids of its own.
        return (mayBeCopies ? isNamedAlike || isSameMoment : isNamedAlike && isSameMoment) ?? false
      }
      const own = all.filter((id) => !isCopy(id))
      if (parents.has(head.conversationId))
        said.set(head.conversationId, new Set([...above, ...named.values(), ...stamped.values()]))
      members.push({
        ...head,
        messages: own.length,
        copies: all.length - own.length,
        usage: await this.#usageOf(head.conversationId, own, slice),
      })
      await slice.yieldIfOver()
    }
    return {
      members,
      messages: members.reduce((sum, member) => sum + member.messages, 0),
      usage: members.map(({ usage }) => usage).reduce(added, NOTHING),
    }
  }

  /** The conversations of a family as a tree in its order. */
  #placed(root: number): FamilyPlace[] {
    return readSnapshot(this.#db, () => {
      const forks = forkedConversations(this.#db)
      const placed: FamilyPlace[] = []
      const seen = new Set<number>()
      const open = familyHeads(this.#db, root).map((head) => ({ ...head, depth: 0 }))
      for (let head = open.pop(); head !== undefined; head = open.pop()) {
        const { conversationId, depth } = head
        if (seen.has(conversationId)) continue
        seen.add(conversationId)
        const came: FamilyRelation = forks.has(conversationId) ? 'fork' : 'sub-agent'
        placed.push(depth === 0 ? { ...head, parentConversationId: null, relation: null } : { ...head, relation: came })
        const children = conversationsFrom(this.#db, conversationId)
        open.push(...children.map((child) => ({ ...child, depth: depth + 1 })).reverse())
      }
      return placed
    })
  }

  async #byMessage(namesOf: typeof externalIdsOf, ids: readonly number[], slice: TimeSlice): Promise<Names> {
    const named = new Map<number, string>()
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      for (const [id, name] of namesOf(this.#db, ids.slice(from, from + AT_ONCE))) named.set(id, name)
      await slice.yieldIfOver()
    }
    return named
  }

  async #usageOf(conversationId: number, ids: readonly number[], slice: TimeSlice): Promise<RecordedUsage> {
    let usage = NOTHING
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      for (const steps of stepsOfMessages(this.#db, ids.slice(from, from + AT_ONCE)).values())
        usage = steps.map(usageOfStep).reduce(added, usage)
      await slice.yieldIfOver()
    }
    return { ...usage, cost: usage.cost ?? statedCost(this.#db, conversationId) }
  }
}

const NOTHING: RecordedUsage = {
  steps: 0,
  inputTokens: 0,
  cachedTokens: null,
  writtenTokens: null,
  outputTokens: 0,
  cost: null,
}

const usageOfStep = ({ input, cached, written, output, cost }: StepUsage): RecordedUsage => ({
  steps: 1,
  inputTokens: input,
  cachedTokens: cached,
  writtenTokens: written,
  outputTokens: output ?? 0,
  cost,
})

const added = (a: RecordedUsage, b: RecordedUsage): RecordedUsage => ({
  steps: a.steps + b.steps,
  inputTokens: a.inputTokens + b.inputTokens,
  cachedTokens: sum(a.cachedTokens, b.cachedTokens),
  writtenTokens: sum(a.writtenTokens, b.writtenTokens),
  outputTokens: a.outputTokens + b.outputTokens,
  cost: sum(a.cost, b.cost),
})

const sum = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0)
