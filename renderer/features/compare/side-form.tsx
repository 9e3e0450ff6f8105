import { type ReactNode, useState } from 'react'
import type { SideAddress } from '../../compare-address.ts'
import { conversationName } from '../../ui/conversation-name.ts'
import { fileNameOf } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useConversation } from '../../ui/use-conversations.ts'
import { AFTER, choiceOf, isMoment, MOMENT, type MomentChoice, NOW, type WindowOption } from '../../ui/window-choice.ts'
import styles from './compare-form.module.css'
import { SideDialog } from './side-dialog.tsx'

type Props = {
  readonly name: 'A' | 'B'
  readonly side: SideAddress
  /** The conversation of the address. */
  readonly conversationId: number
  readonly moment: MomentChoice
  readonly options: readonly WindowOption[]
  /** The moment that is chosen at first when another one than now is wanted. */
  readonly firstMoment: string | null
  readonly onChange: (side: SideAddress) => void
  readonly browse: (onChoose: (path: string) => void, onClose: () => void) => ReactNode
}

/** One side of the comparison: which memory and conversation, and when. */
export function SideForm({ name, side, conversationId, moment, options, firstMoment, onChange, browse }: Props) {
  const [isChoosing, setChoosing] = useState(false)
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
    <div className={styles.side}>
      <span className={styles.name} aria-hidden="true">
        {name}
      </span>
      <button
        type="button"
        className={styles.memory}
        title={side.file ?? 'Choose another conversation or memory'}
        aria-label={`${name}: ${label}. Choose another conversation or memory`}
        onClick={() => setChoosing(true)}
      >
        <span dir="auto">{label}</span>
        <Icon name="chevronDown" />
      </button>
      <SelectField
        label={`window of ${name}`}
        options={side.file === null ? options : options.filter(({ value }) => value !== MOMENT)}
        value={choiceOf(side.window) || NOW}
        onChange={choose}
        title="A compaction is only tried, on a copy that is removed afterwards"
      />
      {side.file === null && side.window !== null && isMoment(side.window) && moment.slider(`Moment of ${name}`)}
      {isChoosing && (
        <SideDialog
          {...{ name, side, browse }}
          onChoose={(next) => {
            setChoosing(false)
            onChange(next)
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  )
}
