/** The text of an element as a reader sees it, and the nodes that it consists of. */
export type ShownText = {
  readonly text: string
  readonly nodes: readonly { readonly node: Text; readonly start: number }[]
}

const BLOCKS = 'address, blockquote, dd, div, dt, h1, h2, h3, h4, h5, h6, li, p, pre, section, summary, td, th'

/** Reads the text of an element up to a number of characters. A line ends where a block does. */
export function shownText(element: HTMLElement, mostChars: number): ShownText {
  const nodes: { node: Text; start: number }[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let text = ''
  let block: Element | null = null
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text) || node.data === '') continue
    const its = node.parentElement?.closest(BLOCKS) ?? null
    if (block !== null && its !== block) text += '\n'
    block = its
    if (text.length + node.data.length > mostChars) break
    nodes.push({ node, start: text.length })
    text += node.data
  }
  return { text, nodes }
}

/** Returns the ranges of the document for ranges of the text, which ascend. */
export function rangesIn({ nodes }: ShownText, ranges: readonly (readonly [number, number])[]): readonly Range[] {
  let at = 0
  return ranges.map(([from, to]) => {
    while (isBehind(nodes, at, from)) at += 1
    let last = at
    while (isBehind(nodes, last, to - 1)) last += 1
    const range = new Range()
    setBoundary(nodes[at], from, (node, offset) => range.setStart(node, offset))
    setBoundary(nodes[last], to, (node, offset) => range.setEnd(node, offset))
    return range
  })
}

const isBehind = (nodes: ShownText['nodes'], at: number, place: number): boolean =>
  (nodes[at + 1]?.start ?? Number.POSITIVE_INFINITY) <= place

function setBoundary(
  place: ShownText['nodes'][number] | undefined,
  at: number,
  set: (node: Text, offset: number) => void,
): void {
  if (place) set(place.node, Math.min(Math.max(0, at - place.start), place.node.data.length))
}
