import { join } from 'node:path'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

export type Node = {
  readonly id: string
  readonly conversation: number
  readonly word: string
  readonly sources: string[]
}
export type GrantedMemory = {
  readonly memory: TestMemory
  readonly nodes: ReadonlyMap<string, Node>
  readonly dataDir: string
  readonly clock: { ms: number }
  open(): Promise<Lcm>
}

/**
 * Two conversations of three levels. Every text has the word "quartz" and a word of its own, by which a test sees what
 * an answer tells.
 */
export function grantedMemory(): GrantedMemory {
  const memory = buildMemory({ conversations: [{ title: 'titleword1' }, { title: 'titleword2' }] })
  const nodes = new Map<string, Node>()
  const add = (id: string, conversation: number, word: string, sources: string[]): string => {
    nodes.set(id, { id, conversation, word, sources })
    return id
  }
  for (const conversation of memory.conversationIds) {
    const messages = Array.from({ length: 28 }, (_, place) => {
      const word = `message${conversation}x${place}`
      const content = `The quartz of ${word} is known. ${'It has a long tail of words. '.repeat(place % 5)}`
      return add(`msg_${memory.message(conversation, { content })}`, conversation, word, [])
    })
    const leaves = [0, 4, 8, 12, 16, 20].map((from) => {
      const sources = messages.slice(from, from + 4)
      const word = `leaf${conversation}x${from}`
      const numbers = sources.map((id) => Number(id.slice(4)))
      return add(memory.leaf(conversation, numbers, { content: `Leaf quartz ${word}.` }), conversation, word, sources)
    })
    const middle = [0, 2].map((from) => {
      const sources = leaves.slice(from, from + 2)
      const word = `middle${conversation}x${from}`
      return add(
        memory.condensed(conversation, sources, { content: `Middle quartz ${word}.` }),
        conversation,
        word,
        sources,
      )
    })
    const word = `top${conversation}x0`
    add(memory.condensed(conversation, middle, { content: `Top quartz ${word}.` }), conversation, word, middle)
  }
  const dataDir = join(temporaryFolder(), 'data')
  const clock = { ms: Date.UTC(2026, 5, 1) }
  return {
    memory,
    nodes,
    dataDir,
    clock,
    open: () => openLcm(memory.path, { readOnly: true, dataDir, clock: () => clock.ms }),
  }
}

/** The ids that a grant reaches, found in the simplest way. */
export function naiveReach(
  nodes: ReadonlyMap<string, Node>,
  {
    conversationIds,
    rootIds,
    depth,
  }: { conversationIds: readonly number[]; rootIds: readonly string[]; depth: number },
): Set<string> {
  const named = new Set([...nodes.values()].flatMap(({ sources }) => sources))
  const isRoot = ({ id }: Node): boolean => (rootIds.length > 0 ? rootIds.includes(id) : !named.has(id))
  const reach = new Set<string>()
  const visit = (id: string, left: number): void => {
    const node = nodes.get(id)
    if (!node || !conversationIds.includes(node.conversation)) return
    reach.add(id)
    if (left > 0) for (const source of node.sources) visit(source, left - 1)
  }
  for (const node of nodes.values()) if (isRoot(node)) visit(node.id, depth)
  return reach
}
