import type { Pruned } from '../../../core/contract/message.ts'
import { Chip } from '../../ui/chip.tsx'
import { prunedTokensText, prunedWord } from '../../ui/pruned-text.ts'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './pruned-note.module.css'

/** Says of a block that the model no longer sees it, since when, and what it sees in its place. */
export function PrunedNote({ pruned }: { readonly pruned: Pruned }) {
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
