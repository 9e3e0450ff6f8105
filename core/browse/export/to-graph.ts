import type { Exported } from './exported.ts'

type Node = { readonly name: string; readonly label: string; readonly isInWindow: boolean; readonly isMissing: boolean }
type Edge = { readonly from: string; readonly to: string; readonly isSound: boolean }
type Graph = { readonly title: string; readonly nodes: readonly Node[]; readonly edges: readonly Edge[] }

/**
 * Returns the summary DAG of a conversation without texts. Nodes are numbered, because an id may contain anything, also
 * the syntax of a format. A leaf states the number of its messages, because a picture of thousands of messages shows
 * nothing.
 */
function graphOf({ conversation, window, summaries }: Exported): Graph {
  const inWindow = new Set(window.map(({ id }) => id))
  const names = new Map<string, string>()
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `c${conversation.conversationId}n${names.size}`
    names.set(id, name)
    return name
  }
  const nodes: Node[] = []
  const edges: Edge[] = []
  const links: (readonly [from: string, to: string])[] = []
  for (const { id, kind, depth, tokens, sources } of summaries()) {
    const messages = sources.filter((source) => source.startsWith('msg_')).length
    const made = messages > 0 ? `, ${messages} ${messages === 1 ? 'message' : 'messages'}` : ''
    const label = `${id} · ${kind} ${depth}, ${tokens} tokens${made}`
    nodes.push({ name: nameOf(id), label, isInWindow: inWindow.has(id), isMissing: false })
    for (const source of sources) if (!source.startsWith('msg_')) links.push([id, source])
  }
  const known = new Set(names.keys())
  for (const [from, to] of links) {
    const isNew = !names.has(to)
    const name = nameOf(to)
    if (isNew) nodes.push({ name, label: `${to} · not in this conversation`, isInWindow: false, isMissing: true })
    edges.push({ from: nameOf(from), to: name, isSound: known.has(to) })
  }
  return { title: `Conversation ${conversation.conversationId}`, nodes, edges }
}

/** Writes a Mermaid flowchart from dependents down to sources. Nodes in the window are filled. */
export function* toMermaid(conversations: Iterable<Exported>): Generator<string> {
  // In quoted text Mermaid reads character codes, and nothing else needs to be escaped.
  const quoted = (text: string) =>
    `"${text.replace(/["#<>&\\`]/g, (char) => `#${char.charCodeAt(0)};`).replace(/\s+/g, ' ')}"`
  yield 'flowchart TD\n  classDef window fill:#dcebff,stroke:#3b6fb6\n  classDef missing stroke-dasharray:4\n'
  for (const conversation of conversations) {
    const { title, nodes, edges } = graphOf(conversation)
    yield `  subgraph c${conversation.conversation.conversationId} [${quoted(title)}]\n`
    for (const { name, label, isInWindow, isMissing } of nodes) {
      yield `    ${name}[${quoted(label)}]${isInWindow ? ':::window' : isMissing ? ':::missing' : ''}\n`
    }
    yield '  end\n'
    for (const { from, to, isSound } of edges) yield `  ${from} ${isSound ? '-->' : '-.->'} ${to}\n`
  }
}

/** Writes the same graph for Graphviz. */
export function* toDot(conversations: Iterable<Exported>): Generator<string> {
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&').replace(/\s+/g, ' ')}"`
  yield 'digraph memory {\n  node [shape=box, style=rounded];\n'
  for (const conversation of conversations) {
    const { title, nodes, edges } = graphOf(conversation)
    yield `  subgraph cluster_${conversation.conversation.conversationId} {\n    label=${quoted(title)};\n`
    for (const { name, label, isInWindow, isMissing } of nodes) {
      const style = isInWindow ? ', style="rounded,filled", fillcolor="#dcebff"' : isMissing ? ', style=dashed' : ''
      yield `    ${name} [label=${quoted(label)}${style}];\n`
    }
    yield '  }\n'
    for (const { from, to, isSound } of edges) yield `  ${from} -> ${to}${isSound ? '' : ' [style=dashed]'};\n`
  }
  yield '}\n'
}
