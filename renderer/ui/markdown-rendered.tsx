import type { Components } from 'react-markdown'
import ReactMarkdown from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { FileReferences, hasReference } from './file-references.tsx'
import { splitHidden } from './hidden-characters.ts'
import styles from './markdown.module.css'
import { MarkedText } from './marked-text.tsx'

/**
 * The element that stands for a text with hidden characters or references to large files. It is made after everything
 * else was sanitized.
 */
const MARKED_TAG = 'lcm-marked'

const components: Components & Readonly<Record<string, unknown>> = {
  [MARKED_TAG]: ({ children }: { readonly children: unknown }) => <FileReferences text={String(children)} />,
  a: ({ href, children }) => (
    <span className={styles.link} title="Links in a memory are never followed">
      {children}
      {href !== undefined && href !== children && (
        <span className={styles.address}>
          {' '}
          ‹<MarkedText text={href} />›
        </span>
      )}
    </span>
  ),
  img: ({ src, alt }) => (
    <span className={styles.image} title="Pictures in a memory are never loaded">
      picture: <MarkedText text={alt || 'no description'} />
      {typeof src === 'string' && src !== '' && (
        <span className={styles.address}>
          {' '}
          ‹<MarkedText text={src.slice(0, 200)} />›
        </span>
      )}
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
      rehypePlugins={[[rehypeSanitize, ANY_ADDRESS], textsAsMarked]}
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

/** The part of an HTML node that is read here. */
type HtmlNode = { type: string; tagName?: string; value?: string; properties?: object; children?: HtmlNode[] }

function textsAsMarked() {
  return (tree: HtmlNode): void => markTexts(tree)
}

function markTexts(parent: HtmlNode): void {
  parent.children = parent.children?.map((child) => {
    if (child.type !== 'text') {
      markTexts(child)
      return child
    }
    const text = child.value ?? ''
    const isPlain = splitHidden(text).every(({ kind }) => kind === 'text') && !hasReference(text)
    return isPlain ? child : { type: 'element', tagName: MARKED_TAG, properties: {}, children: [child] }
  })
}
