import { isValidElement, type ReactElement, type ReactNode, useMemo } from 'react'
import type { Components } from 'react-markdown'
import ReactMarkdown from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { codeLanguage } from './code-languages.ts'
import { ColouredCode } from './coloured-code.tsx'
import { FileReferences, hasReference } from './file-references.tsx'
import { splitHidden } from './hidden-characters.ts'
import styles from './markdown.module.css'
import { type MarkdownNode, MOST_ADDRESS_CHARS, renderingLoss } from './markdown-loss.ts'
import { MarkedText } from './marked-text.tsx'

/**
 * The element that stands for a text with hidden characters or references to large files. It is made after everything
 * else was sanitized.
 */
const MARKED_TAG = 'lcm-marked'

/** The element that stands for the whole text when rendering would change it. Only `sourceWhereLost` makes it. */
const SOURCE_TAG = 'lcm-source'

const components: Components & Readonly<Record<string, unknown>> = {
  [MARKED_TAG]: ({ children }: { readonly children: unknown }) => <FileReferences text={String(children)} />,
  [SOURCE_TAG]: ({ loss, children }: { readonly loss: string; readonly children: ReactNode }) => (
    <div className={styles.source}>
      <span className={styles.why} title={`Shown as it is stored, because rendering would change ${loss}`}>
        source
      </span>
      {children}
    </div>
  ),
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
    <span className="dim" title="Pictures in a memory are never loaded">
      picture: <MarkedText text={alt || 'no description'} />
      {typeof src === 'string' && src !== '' && (
        <span className={styles.address}>
          {' '}
          ‹<MarkedText text={src.slice(0, MOST_ADDRESS_CHARS)} />›
        </span>
      )}
    </span>
  ),
  pre: ({ children }) => {
    const language = languageOf(children)
    const code = language === null ? null : codeIn(children)
    return (
      <pre>
        {language !== null && (
          <span className={styles.language}>
            <MarkedText text={language} />
          </span>
        )}
        {code === null ? (
          children
        ) : (
          <code>
            <ColouredCode text={code} language={codeLanguage(language ?? '')} />
          </code>
        )}
      </pre>
    )
  },
  input: ({ checked }) => <span>{checked ? '☑ ' : '☐ '}</span>,
}

/** The language that a code block names, or null. */
function languageOf(code: ReactNode): string | null {
  if (!isValidElement<{ readonly className?: string }>(code)) return null
  return /^language-(.+)$/.exec(code.props.className ?? '')?.[1] ?? null
}

/** The text of a code block without marks, or null. */
function codeIn(code: ReactNode): string | null {
  const text = isValidElement<{ readonly children?: ReactNode }>(code) ? code.props.children : null
  return typeof text === 'string' ? text.replace(/\n$/, '') : null
}

/** Addresses are only shown, so none of them is hidden, whatever its scheme. */
const SCHEMA = {
  ...defaultSchema,
  protocols: {},
  tagNames: [...(defaultSchema.tagNames ?? []), SOURCE_TAG],
  attributes: { ...defaultSchema.attributes, [SOURCE_TAG]: ['loss'] },
}

/** The text that was parsed before it is shown, and what it became. */
let ahead: { readonly text: string; readonly parsed: ReactElement } | null = null

/** Parses a text that will probably be shown next. The one before it is forgotten. */
export function keepAhead(text: string): void {
  if (ahead?.text !== text) ahead = { text, parsed: parsed(text) }
}

/** See `Markdown`, which loads this on first use. Where rendering would change the text, its source is shown. */
export function MarkdownRendered({ text }: { readonly text: string }) {
  const content = useMemo(() => (ahead?.text === text ? ahead.parsed : parsed(text)), [text])
  return (
    <div className={styles.markdown} dir="auto">
      {content}
    </div>
  )
}

/** The component is a pure function without hooks. It would parse its text again each time what is around it is rendered. */
const parsed = (text: string): ReactElement =>
  ReactMarkdown({
    remarkPlugins: [remarkGfm, sourceWhereLost, htmlAsText],
    rehypePlugins: [[rehypeSanitize, SCHEMA], textsAsMarked],
    components,
    // No address is followed or loaded, so it is shown completely, whatever its scheme.
    urlTransform: (url) => url,
    children: text,
  })

/** Puts the source in place of the text when rendering would change or swallow some of it. */
function sourceWhereLost() {
  return (tree: MarkdownNode, file: { toString(): string }): void => {
    const source = String(file)
    const loss = renderingLoss(tree, source)
    if (loss === null) return
    const hChildren = [{ type: 'text', value: source }]
    tree.children = [
      { type: 'source', children: [], data: { hName: SOURCE_TAG, hProperties: { loss }, hChildren } } as MarkdownNode,
    ]
  }
}

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
