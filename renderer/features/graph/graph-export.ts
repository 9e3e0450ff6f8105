import type { Neighbourhood, NodeCard } from '#core/contract/lineage.ts'
import { nodeLabel } from '#renderer/ui/nodes/depth-color.ts'
import { formatTokens } from '#renderer/ui/texts/format.ts'

/** Ids may contain the syntax of the format, so nodes are numbered and labels are quoted. */
const numbered = (nodes: readonly NodeCard[]): ReadonlyMap<string, string> =>
  new Map(nodes.map(({ id }, order) => [id, `n${order}`]))

const factsOf = (card: NodeCard): string => `${nodeLabel(card)}, ${formatTokens(card.tokens)}`

/** The shown neighbourhood as a Mermaid flowchart, from dependents down to sources. */
export function toMermaid({ nodes, edges }: Neighbourhood): string {
  const names = numbered(nodes)
  // Inside quotes Mermaid understands character codes, and nothing else needs to be escaped.
  const quoted = (text: string) =>
    `"${text.replace(/["#<>&\\`]/g, (char) => `#${char.charCodeAt(0)};`).replace(/\s+/g, ' ')}"`
  return [
    'flowchart TD',
    ...nodes.map((card) => `  ${names.get(card.id)}[${quoted(`${card.id} · ${factsOf(card)}`)}]`),
    ...edges.flatMap(({ from, to, state }) => {
      const [a, b] = [names.get(from), names.get(to)]
      if (a === undefined || b === undefined) return []
      return state === 'sound' ? `  ${a} --> ${b}` : `  ${a} -. ${state} .-> ${b}`
    }),
    '',
  ].join('\n')
}

/** The shown neighbourhood for Graphviz. */
export function toDot({ nodes, edges }: Neighbourhood): string {
  const names = numbered(nodes)
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&').replace(/\s+/g, ' ')}"`
  return [
    'digraph lineage {',
    '  node [shape=box, style=rounded];',
    ...nodes.map((card) => `  ${names.get(card.id)} [label=${quoted(`${card.id}, ${factsOf(card)}`)}];`),
    ...edges.flatMap(({ from, to, state }) => {
      const [a, b] = [names.get(from), names.get(to)]
      if (a === undefined || b === undefined) return []
      return state === 'sound' ? `  ${a} -> ${b};` : `  ${a} -> ${b} [style=dashed, color=red, label=${quoted(state)}];`
    }),
    '}',
    '',
  ].join('\n')
}

/** The shown neighbourhood in the form of the core. */
export const toJson = (neighbourhood: Neighbourhood): string => `${JSON.stringify(neighbourhood, null, 2)}\n`
