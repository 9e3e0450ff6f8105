import { isKept } from '#core/contract/kept.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { useNoteChange, useNotes } from './use-notes.ts'

type Props = {
  /** The message or summary that says it. */
  readonly id: string
  readonly sentence: string
}

/** Keeps a sentence that is lost, or no longer: the next recall after a compaction begins with what is kept. */
export function KeepButton({ id, sentence }: Props) {
  const kept = isKept(useNotes().get(id), sentence)
  const { mutate, isPending, error } = useNoteChange()
  const title = kept
    ? 'Kept: your agent is told this first after a compaction. Press to let it go'
    : 'Keep this: pin it, so that a connected agent is told it first after a compaction'
  return (
    <IconButton
      icon={error === null ? 'pin' : 'warning'}
      label={kept ? 'Kept' : 'Keep this'}
      title={error === null ? title : error.message}
      aria-pressed={kept}
      disabled={isPending || sentence.trim() === ''}
      onClick={() => mutate(kept ? { id, letGo: sentence } : { id, keep: sentence })}
    />
  )
}
