import type { Components } from 'react-markdown'
import ReactMarkdown from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import styles from './markdown.module.css'

const components: Components = {
  a: ({ href, children }) => (
    <span className={styles.link} title="Links in a memory are never followed">
      {children}
      {href !== undefined && href !== children && <span className={styles.address}> ‹{href}›</span>}
    </span>
  ),
  img: ({ src, alt }) => (
    <span className={styles.image} title="Pictures in a memory are never loaded">
      picture: {alt || 'no description'}
      {typeof src === 'string' && src !== '' && <span className={styles.address}> ‹{src.slice(0, 200)}›</span>}
    </span>
  ),
  input: ({ checked }) => <span>{checked ? '☑ ' : '☐ '}</span>,
}

/** Addresses are only shown, so none of them is hidden, whatever its scheme. */
const ANY_ADDRESS = { ...defaultSchema, protocols: {} }

/** See `Markdown`, which loads this on first use. */
export function MarkdownRendered({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, htmlAsText]}
      rehypePlugins={[[rehypeSanitize, ANY_ADDRESS]]}
      components={components}
      // No address is followed or loaded, so it is shown completely, whatever its scheme.
      urlTransform={(url) => url}
    >
      {text}
    </ReactMarkdown>
  )
}

/** The part of a Markdown node that is read here. */
type MarkdownNode = { type: string; value?: string; children?: MarkdownNode[] }

/**
 * Turns HTML in markdown into plain text. Agents' text is full of tags (`<system-reminder>`, `<file …>`), and the
 * sanitizer would remove them together with whole paragraphs.
 */
function htmlAsText() {
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
