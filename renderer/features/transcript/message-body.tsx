import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import type { Message, Pruned } from '#core/contract/message.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { prunedTokensText, prunedWord } from '#renderer/ui/texts/pruned-text.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { BlockView } from './block-view.tsx'
import { type Block, blocksOf, isBareMark, isEndOfSummary } from './blocks.ts'
import { useFold } from './folds.tsx'
import { useMessageLook } from './look.ts'
import styles from './message-body.module.css'
import { PAGE_CHARS } from './pages.ts'

type Props = {
  readonly message: Message
  /** True when the message is drawn below the call whose result it is. */
  readonly isUnderCall?: boolean
  /** Returns what is drawn below a block. */
  readonly below?: (block: Block) => ReactNode
}

/** The blocks of a message. Pages contain long texts cut; the rest is loaded on request. */
export function MessageBody({ message, isUnderCall = false, below }: Props) {
  const [isWhole, toggleWhole] = useFold(`whole/${message.id}`)
  const whole = useQuery({
    ...api.transcript.message.queryOptions({ input: { id: message.id } }),
    enabled: message.isCut && isWhole,
  })
  const shown = (isWhole && whole.data) || message
  const blocks = useMemo(() => blocksOf(shown).filter((block) => !isBareMark(block) && !isEndOfSummary(block)), [shown])
  const onWhole = message.isCut && !isWhole ? toggleWhole : undefined
  const [look] = useMessageLook(message.id)
  // A text that was cut has its own button. The rest of a message can be cut as well: what it records beside its texts.
  const isCutElsewhere = message.isCut && !isWhole && !blocks.some(isLong)
  return (
    <div className={styles.body}>
      {blocks.map((block) => (
        <div key={block.key} className={styles.block} data-kind={block.kind} data-synthetic={block.isSynthetic}>
          {block.isSynthetic && (
            <span className={styles.synthetic} title="Put there by the memory system, not by a person or the model">
              synthetic
            </span>
          )}
          {block.isIgnored && (
            <span
              className={styles.synthetic}
              title="Its agent shows it to the person and does not send it to the model"
            >
              not sent to the model
            </span>
          )}
          <Pruning pruned={prunedOf(shown, block)} />
          <BlockView
            block={block}
            foldKey={`${message.id}/${block.key}`}
            look={look}
            isUnderCall={isUnderCall}
            onWhole={onWhole}
          />
          {below?.(block)}
        </div>
      ))}
      {blocks.length === 0 && <p className="small">no text</p>}
      {whole.isError && <p className="small">{toErrorInfo(whole.error).message}</p>}
      {isCutElsewhere && (
        <p className="small">
          <button type="button" className={styles.more} onClick={toggleWhole}>
            Show the whole message
          </button>
        </p>
      )}
    </div>
  )
}

const Pruning = ({ pruned }: { readonly pruned: Pruned | undefined }) => pruned && <PrunedNote pruned={pruned} />

/** Returns what was pruned of the part of a block, or of the whole message when its text was pruned. */
const prunedOf = ({ parts, pruned }: Message, { key }: Block): Pruned | undefined =>
  key === 'content' ? pruned : parts.find(({ partId }) => partId === key)?.pruned

/** Whether a text of a block may have been cut: it is as long as the page allows. */
function isLong(block: Block): boolean {
  const texts = block.kind === 'tool_call' ? [block.input, block.output, block.error] : [textOf(block)]
  return texts.some((text) => text.length >= PAGE_CHARS - 1)
}

const textOf = (block: Block): string => ('text' in block ? block.text : 'output' in block ? block.output : '')

/** Says that the model no longer sees a block, since when, and what it sees instead. */
function PrunedNote({ pruned }: { readonly pruned: Pruned }) {
  const { atMs, by, seen } = pruned
  return (
    <p className={styles.note} title={seen ? `It sees: ${seen}` : 'Nothing stands in its place'}>
      <Chip>pruned</Chip>
      <span>
        The agent no longer sees this: {prunedWord(by)} <TimeText atMs={atMs} form="short" /> ·{' '}
        {prunedTokensText(pruned)}
      </span>
    </p>
  )
}
