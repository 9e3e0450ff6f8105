import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Message, Pruned } from '../../../core/contract/message.ts'
import { api } from '../../api.ts'
import { toErrorInfo } from '../../error-text.ts'
import { Chip } from '../../ui/chip.tsx'
import { formatCompact } from '../../ui/format.ts'
import { prunedTokensText, prunedWord } from '../../ui/pruned-text.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { BlockView } from './block-view.tsx'
import { type Block, blocksOf, isBareMark } from './blocks.ts'
import { useFold } from './folds.tsx'
import styles from './message-body.module.css'

/** The blocks of a message. Pages contain long texts cut; the rest is loaded on request. */
export function MessageBody({ message }: { readonly message: Message }) {
  const [isWhole, toggleWhole] = useFold(`whole/${message.id}`)
  const whole = useQuery({
    ...api.transcript.message.queryOptions({ input: { id: message.id } }),
    enabled: message.isCut && isWhole,
  })
  const shown = (isWhole && whole.data) || message
  const blocks = useMemo(() => blocksOf(shown).filter((block) => !isBareMark(block)), [shown])
  const onWhole = message.isCut && !isWhole ? toggleWhole : undefined
  return (
    <div className={styles.body}>
      {blocks.map((block) => (
        <div key={block.key} className={styles.block} data-synthetic={block.isSynthetic}>
          {block.isSynthetic && block.kind !== 'compaction' && (
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
          <BlockView block={block} foldKey={`${message.id}/${block.key}`} onWhole={onWhole} />
        </div>
      ))}
      {blocks.length === 0 && <p className={styles.dim}>no text</p>}
      {message.isCut && (
        <p className={styles.dim}>
          {whole.isError && `${toErrorInfo(whole.error).message} `}
          <button type="button" className={styles.more} aria-expanded={isWhole} onClick={toggleWhole}>
            {isWhole ? (whole.isFetching ? 'Loading…' : 'Show the beginning only') : wholeText(message)}
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

/** A text of a part may be cut as well, and the page does not tell its length. */
function wholeText({ content, contentChars }: Message): string {
  return content.length < contentChars ? `Show all ${formatCompact(contentChars)} characters` : 'Show the whole message'
}

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
