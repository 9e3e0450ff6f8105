import { Fragment, type ReactNode, type RefObject, useRef } from 'react'
import type { ComparedEntry, ComparedSide, Difference } from '#core/contract/comparison.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TextWithNames } from '#renderer/ui/texts/text-with-names.tsx'
import styles from './difference-table.module.css'

type Props = {
  readonly difference: Difference
  readonly a: ComparedSide
  readonly b: ComparedSide
  /** The memory file of this window, whose nodes can be opened. */
  readonly ownPath: string | undefined
  readonly isLinked: boolean
  readonly onLink: () => void
}

/** What both sides have where they differ. Marked is what only one of them says. */
export function TwoTexts({ difference, a, b, ownPath, isLinked, onLink }: Props) {
  const [left, right] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const follow = (from: RefObject<HTMLDivElement | null>, to: RefObject<HTMLDivElement | null>) => () => {
    if (!isLinked || !from.current || !to.current || !from.current.matches(':hover, :focus-within')) return
    const share = from.current.scrollTop / Math.max(1, from.current.scrollHeight - from.current.clientHeight)
    to.current.scrollTop = share * (to.current.scrollHeight - to.current.clientHeight)
  }
  return (
    <div className={styles.texts}>
      <Side
        name="A"
        {...{ difference, ownPath }}
        side={a}
        entry={difference.a}
        body={left}
        onScroll={follow(left, right)}
      />
      <span className={styles.link}>
        <IconButton icon="link" label="Scroll together (l)" aria-pressed={isLinked} onClick={onLink} />
      </span>
      <Side
        name="B"
        {...{ difference, ownPath }}
        side={b}
        entry={difference.b}
        body={right}
        onScroll={follow(right, left)}
      />
    </div>
  )
}

type SideProps = Pick<Props, 'difference' | 'ownPath'> & {
  readonly name: 'A' | 'B'
  readonly side: ComparedSide
  readonly entry: ComparedEntry | null
  readonly body: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
}

function Side({ name, side, entry, difference, ownPath, body, onScroll }: SideProps) {
  if (entry === null)
    return (
      <section className={styles.side} aria-label={name}>
        <p className={styles.head}>
          <b>{name}</b>{' '}
          <span>
            <TextWithNames text={side.name} />
          </span>
        </p>
        <p className={styles.none}>{absence(difference)}</p>
      </section>
    )
  const { id, depth, tokens, details, kept, createdAtMs, text, isCut, marks, messages, title } = entry
  const node =
    depth < 0 ? ({ kind: 'message' } as const) : ({ kind: depth === 0 ? 'leaf' : 'condensed', depth } as const)
  return (
    <section className={styles.side} aria-label={name}>
      <p className={styles.head}>
        <DepthSwatch node={node} />
        <b>{name}</b>
        {side.path === ownPath && !side.name.startsWith('after') ? (
          <NodeLink
            {...{ id, node }}
            conversationId={side.conversationId}
            maxChars={24}
            view={depth < 0 ? 'messages' : 'layers'}
          />
        ) : (
          <NodeIdText id={id} maxChars={24} />
        )}
        <span>
          {[
            formatTokens(tokens),
            ...(createdAtMs === null ? [] : [formatShort(createdAtMs)]),
            ...(kept === null || details === null ? [] : [`${formatCount(kept)} of ${plural(details, 'detail')}`]),
          ].join(' · ')}
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by the keyboard as well */}
      <div ref={body} className={classNames(styles.body)} tabIndex={0} onScroll={onScroll} dir="auto">
        {depth < 0 ? (
          <p>
            {plural(messages, 'message')}, from “<MarkedText text={title === '' ? 'a message without text' : title} />”
          </p>
        ) : (
          marked(text, marks)
        )}
        {isCut && <p className="dim">The text goes on: this is its beginning.</p>}
      </div>
    </section>
  )
}

/** Why one side has nothing there. */
function absence({ kind, what }: Difference): string {
  const other = kind === 'only_a' ? 'B' : 'A'
  if (what === 'messages') return `${other} does not have these messages.`
  if (what === 'window') return `${other} has the same, but not in its window.`
  return `${other} has no summary of about these messages at this depth.`
}

function marked(text: string, marks: readonly (readonly [number, number])[]): ReactNode {
  let at = 0
  const parts = marks.map(([start, end]) => {
    const before = text.slice(at, start)
    at = end
    return (
      <Fragment key={start}>
        <MarkedText text={before} />
        <mark>
          <MarkedText text={text.slice(start, end)} />
        </mark>
      </Fragment>
    )
  })
  return (
    <p>
      {parts}
      <MarkedText text={text.slice(at)} />
    </p>
  )
}
