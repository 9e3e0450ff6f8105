import { Component, type ReactNode } from 'react'
import { later } from '../states/later.tsx'
import { LongText } from './long-text.tsx'
import { hasLongLine } from './text-pieces.ts'

/** Parsing a longer text would block the window, so it is shown as plain text. */
const MAX_CHARS = 30_000
/** Where one text is shown alone, only so much of a longer one is shown at first. */
export const FIRST_CHARS = 4000

const Plain = ({ text }: { readonly text: string }) => <LongText text={text} face="prose" />

// The parser is a fifth of the code of the window, and loaded when the first text is shown.
const Rendered = later(() => import('./markdown-rendered.tsx').then(({ MarkdownRendered }) => MarkdownRendered), Plain)

/**
 * Renders text of an agent as markdown. The text is treated as hostile: no HTML, links are inert and show their
 * targets, and pictures are never loaded.
 */
export function Markdown({ text }: { readonly text: string }) {
  if (isShownPlain(text)) return <Plain text={text} />
  return (
    <PlainIfBroken key={text} fallback={<Plain text={text} />}>
      <Rendered text={text} />
    </PlainIfBroken>
  )
}

const isShownPlain = (text: string): boolean => text.length > MAX_CHARS || isNestedTooDeep(text) || hasLongLine(text)

/** Parses the first part of a text that will probably be shown alone next, so that showing it takes less. */
export async function parseAhead(text: string): Promise<void> {
  const first = text.slice(0, FIRST_CHARS)
  if (isShownPlain(first)) return
  const { keepAhead } = await import('./markdown-rendered.tsx')
  keepAhead(first)
}

type Props = { readonly fallback: ReactNode; readonly children: ReactNode }

/** Shows the fallback when rendering the children fails, so that one hostile text does not break the view. */
class PlainIfBroken extends Component<Props, { readonly isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true }
  }

  override render(): ReactNode {
    return this.state.isBroken ? this.props.fallback : this.props.children
  }
}

/** No real text nests quotes and lists deeper than this. */
const MAX_DEPTH = 24

const nested = new RegExp(`^[ \\t]*(?:>[ \\t]*|(?:[-*+]|\\d{1,9}[.)])[ \\t]+){${MAX_DEPTH}}`, 'm')

/**
 * True when a line opens too many quotes and lists: the parser recurses for each level, and some thousand levels
 * exhaust the stack.
 */
export function isNestedTooDeep(text: string): boolean {
  return nested.test(text)
}
