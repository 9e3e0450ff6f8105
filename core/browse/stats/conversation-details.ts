import { ROLES } from '#core/contract/lists.ts'
import type { Overview } from '#core/contract/memory.ts'
import type { Messages } from '#core/memory/messages.ts'
import { EXCERPT_BYTES, openingExcerpt } from '#core/sqlite/opening.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { messageOpenings } from '#core/systems/reading/message-openings.ts'
import { messageNodeId } from '#core/systems/reading/node-id.ts'
import { prunedByRun, readPruned } from '#core/systems/reading/pruned-outputs.ts'
import { knownRole, largestMessages, messageHeads } from '#core/systems/records/messages.ts'
import { runsOf } from '#core/systems/records/runs.ts'
import { depthTallies, roleTallies } from '#core/systems/records/tallies.ts'

const LARGEST_MESSAGES = 10

/**
 * Returns what a conversation consists of: its roles, depths, largest messages and runs.
 * @param known its messages if they were read already. If they are plain enough to be added up, no text is read.
 */
export function conversationDetails(
  db: ReadDb,
  conversationId: number,
  known: Messages | null,
): Pick<Overview, 'roles' | 'depths' | 'largestMessages' | 'runs'> {
  const plain = known?.isPlain ? known : null
  return {
    roles: plain ? rolesIn(plain) : roleTallies(db, conversationId).map((role) => ({ ...role, sourceTokens: null })),
    depths: depthTallies(db, conversationId),
    largestMessages: shown(db, plain ? largestIn(plain) : largestMessages(db, conversationId, LARGEST_MESSAGES)),
    runs: runsIn(db, conversationId),
  }
}

function runsIn(db: ReadDb, conversationId: number): Overview['runs'] {
  const pruned = prunedByRun(readPruned(db, conversationId))
  return runsOf(db, conversationId).map((run) => {
    const taken = pruned.get(run.runId)
    return taken ? { ...run, pruned: taken } : run
  })
}

function rolesIn(messages: Messages): Overview['roles'] {
  const roles = ROLES.map((key) => ({ key, count: 0, tokens: 0, sourceTokens: null }))
  for (let position = 0; position < messages.length; position += 1) {
    const role = roles[messages.roleAt(position)]
    if (!role) continue
    role.count += 1
    role.tokens += messages.tokensAt(position)
  }
  return roles.filter((role) => role.count > 0).sort((a, b) => b.tokens - a.tokens || (a.key < b.key ? -1 : 1))
}

function shown(db: ReadDb, ids: readonly number[]): Overview['largestMessages'] {
  const openings = messageOpenings(db, ids, EXCERPT_BYTES)
  return messageHeads(db, ids)
    .map(({ id, role, tokens, seq }) => ({
      id: messageNodeId(id),
      role: knownRole(role) ?? ('system' as const),
      tokens: Math.trunc(tokens ?? 0),
      seq,
      excerpt: openingExcerpt(openings.get(id) ?? ''),
    }))
    .sort((a, b) => b.tokens - a.tokens || a.seq - b.seq)
}

/** Returns the numbers of the largest messages. */
function largestIn(messages: Messages): number[] {
  const positions: number[] = []
  let least = -1
  for (let position = 0; position < messages.length; position += 1) {
    if (messages.tokensAt(position) <= least) continue
    positions.push(position)
    positions.sort((a, b) => messages.tokensAt(b) - messages.tokensAt(a) || a - b)
    positions.length = Math.min(positions.length, LARGEST_MESSAGES)
    if (positions.length === LARGEST_MESSAGES) least = messages.tokensAt(positions[LARGEST_MESSAGES - 1] as number)
  }
  return positions.map((position) => messages.ids[position] as number)
}
