/** As much of a markdown node as is looked at here. */
type MarkdownNode = { type: string; value?: string; children?: MarkdownNode[] }

/**
 * Turns HTML in markdown into the text that it is. Agents' text is full of tags (`<system-reminder>`, `<file …>`); the
 * sanitizer would drop them, and whole paragraphs with them.
 */
export function htmlAsText() {
  return (tree: MarkdownNode): void => replaceHtml(tree)
}

const FLOW = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition'])

function replaceHtml(parent: MarkdownNode): void {
  parent.children = parent.children?.map((child) => {
    if (child.type !== 'html') {
      replaceHtml(child)
      return child
    }
    const text: MarkdownNode = { type: 'text', value: child.value ?? '' }
    return FLOW.has(parent.type) ? { type: 'paragraph', children: [text] } : text
  })
}
