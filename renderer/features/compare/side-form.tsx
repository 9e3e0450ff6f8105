import { useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { SideAddress } from '#renderer/compare-address.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { FormField } from '#renderer/ui/controls/form-field.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { SelectField } from '#renderer/ui/controls/select-field.tsx'
import type { Browse } from '#renderer/ui/data/browse.ts'
import { listQuestion, useConversation, useConversations } from '#renderer/ui/data/use-conversations.ts'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import {
  AFTER,
  choiceOf,
  isMoment,
  MOMENT,
  type MomentChoice,
  NOW,
  type WindowOption,
} from '#renderer/ui/data/window-choice.ts'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import form from '#renderer/ui/styles/form.module.css'
import { conversationName, fileNameOf, plural } from '#renderer/ui/texts/format.ts'
import styles from './compare-form.module.css'

type Props = {
  readonly name: 'A' | 'B'
  readonly side: SideAddress
  /** The conversation of the address. */
  readonly conversationId: number
  readonly moment: MomentChoice
  readonly options: readonly WindowOption[]
  /** The moment that is chosen at first when another one than now is wanted. */
  readonly firstMoment: string | null
  /** Whether its dialog is open. */
  readonly isChoosing: boolean
  readonly onChoosing: (isOpen: boolean) => void
  readonly onChange: (side: SideAddress) => void
  readonly browse: Browse
}

/** One side of the comparison: which memory and conversation, and when. */
export function SideForm({
  name,
  side,
  conversationId,
  moment,
  options,
  firstMoment,
  isChoosing,
  onChoosing,
  onChange,
  browse,
}: Props) {
  const own = useConversation(side.file === null ? (side.conversation ?? conversationId) : null)
  const choose = (value: string) =>
    onChange({ ...side, window: value === NOW ? null : value === MOMENT ? (firstMoment ?? AFTER) : value })
  const label =
    side.file === null
      ? own.data
        ? conversationName(own.data)
        : `conversation ${side.conversation ?? conversationId}`
      : `${fileNameOf(side.file)}${side.conversation === null ? '' : ` · conversation ${side.conversation}`}`
  return (
    <>
      <div className={styles.side}>
        <span className={styles.name} aria-hidden="true">
          {name}
        </span>
        <button
          type="button"
          className={styles.memory}
          title={side.file ?? 'Choose another conversation or memory'}
          aria-label={`${name}: ${label}. Choose another conversation or memory`}
          onClick={() => onChoosing(true)}
        >
          <span dir="auto">{label}</span>
          <Icon name="chevronDown" />
        </button>
        <span className={styles.choice}>
          <SelectField
            label={`window of ${name}`}
            options={side.file === null ? options : options.filter(({ value }) => value !== MOMENT)}
            value={choiceOf(side.window) || NOW}
            onChange={choose}
            title="A compaction is only tried, on a copy that is removed afterwards"
          />
        </span>
        {side.file === null && side.window !== null && isMoment(side.window) && moment.slider(`Moment of ${name}`)}
      </div>
      {isChoosing && (
        <SideDialog
          {...{ name, side, browse }}
          onChoose={(next) => {
            onChoosing(false)
            onChange(next)
          }}
          onClose={() => onChoosing(false)}
        />
      )}
    </>
  )
}

type DialogProps = {
  readonly name: 'A' | 'B'
  readonly side: SideAddress
  readonly browse: Browse
  readonly onChoose: (side: SideAddress) => void
  readonly onClose: () => void
}

/** Chooses the conversation of a side: one of this file, or one of another memory. */
function SideDialog({ name, side, browse, onChoose, onClose }: DialogProps) {
  const [words, setWords] = useState('')
  const [path, setPath] = useState(side.file ?? '')
  const [conversation, setConversation] = useState(side.file === null ? '' : String(side.conversation ?? ''))
  const [isBrowsing, setBrowsing] = useState(false)
  const { rows, error, more, retry } = useConversations(listQuestion(useDebounced(words, 150), 'change', false))
  const number = conversation.trim() === '' ? null : Number(conversation)
  const isNumber = number === null || (Number.isSafeInteger(number) && number >= 0)
  const openOther = () => onChoose({ ...side, file: path.trim(), conversation: number, window: null })
  if (isBrowsing)
    return browse(
      'Choose the other memory',
      (chosen) => {
        setPath(chosen)
        setBrowsing(false)
      },
      () => setBrowsing(false),
    )
  return (
    <Dialog
      title={`Side ${name}`}
      width={620}
      onClose={onClose}
      actions={
        <Button look="primary" disabled={path.trim() === '' || !isNumber} onClick={openOther}>
          Take the other memory
        </Button>
      }
    >
      <div className={form.form}>
        <FormField
          label="Conversation"
          hint="Of this memory, by a part of its title or session. A click on one takes it."
          value={words}
          onChange={setWords}
        />
        {error && rows === null ? (
          <ErrorState error={error} onRetry={retry} />
        ) : (
          <div className={styles.conversations}>
            <Virtuoso
              data={rows ?? []}
              computeItemKey={(_, { conversationId }) => conversationId}
              endReached={more}
              fixedItemHeight={28}
              itemContent={(_, row) => (
                <button
                  type="button"
                  className={styles.conversation}
                  onClick={() => onChoose({ file: null, conversation: row.conversationId, window: null })}
                >
                  <span dir="auto">{conversationName(row)}</span>
                  <span>{plural(row.messages, 'message')}</span>
                </button>
              )}
            />
          </div>
        )}
        <FormField
          label="Other memory"
          hint="The path of a memory file of any system. It is opened for reading and left as it is."
          value={path}
          onChange={setPath}
          placeholder="/path/to/lcm.db"
          action={<Button onClick={() => setBrowsing(true)}>Browse…</Button>}
        />
        <FormField
          label="Its conversation"
          hint="The number of one; empty for the one with the same session, or the only one."
          problem={isNumber ? undefined : 'A number, such as 3.'}
          value={conversation}
          onChange={setConversation}
          unit="number"
        />
      </div>
    </Dialog>
  )
}
