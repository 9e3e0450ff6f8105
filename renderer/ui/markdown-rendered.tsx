import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { htmlAsText } from './html-as-text.ts'
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

/** An address is only ever shown, so the worst of them is the one that must not be hidden. */
const ANY_ADDRESS = { ...defaultSchema, protocols: {} }

/** See `Markdown`, which loads this when it is first needed. */
export function MarkdownRendered({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, htmlAsText]}
      rehypePlugins={[[rehypeSanitize, ANY_ADDRESS]]}
      components={components}
      // Nothing is followed or loaded, so the whole address may be shown, whatever its scheme.
      urlTransform={(url) => url}
    >
      {text}
    </ReactMarkdown>
  )
}
