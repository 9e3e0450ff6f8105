import { Component, lazy, type ReactNode, Suspense } from 'react'
import styles from './markdown.module.css'
import { isNestedTooDeep } from './markdown-depth.ts'

/** Parsing longer texts would hold up the window; they are shown as they are. */
const MAX_CHARS = 30_000

// The parser is a fifth of the whole window, and needed when the first text is shown.
const Rendered = lazy(() => import('./markdown-rendered.tsx').then((module) => ({ default: module.MarkdownRendered })))

/**
 * Text of an agent, as markdown. It is hostile until shown otherwise: no HTML, links are inert and show where they
 * would lead, pictures are never loaded.
 */
export function Markdown({ text }: { readonly text: string }) {
  const plain = <div className={styles.plain}>{text}</div>
  if (text.length > MAX_CHARS || isNestedTooDeep(text)) return plain
  return (
    <PlainIfBroken key={text} fallback={plain}>
      <Suspense fallback={plain}>
        <div className={styles.markdown} dir="auto">
          <Rendered text={text} />
        </div>
      </Suspense>
    </PlainIfBroken>
  )
}

type Props = { readonly fallback: ReactNode; readonly children: ReactNode }

/** Shows the fallback when drawing the children fails: one hostile text must not take the view with it. */
class PlainIfBroken extends Component<Props, { readonly isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true }
  }

  override render(): ReactNode {
    return this.state.isBroken ? this.props.fallback : this.props.children
  }
}
