import { useId, useState } from 'react'
import type { RepairStep } from '../../../core/contract/repair.ts'
import { Chip } from '../../ui/chip.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import styles from './repair-step-row.module.css'
import { RISKS } from './repair-wording.ts'
import { StepDetails } from './step-details.tsx'

type Props = {
  readonly step: RepairStep
  /** The number of the step in the plan, from 1. */
  readonly number: number
  /** Null where steps cannot be applied. */
  readonly choice: {
    readonly isChosen: boolean
    readonly isDisabled: boolean
    readonly onToggle: () => void
  } | null
}

const NODES_SHOWN = 2

/** A step of the plan: what it does, how safe it is, and on demand every row. */
export function RepairStepRow({ step, number, choice }: Props) {
  const [isOpen, setOpen] = useState(false)
  const titleId = useId()
  const risk = RISKS[step.risk]
  const more = step.nodes.length - NODES_SHOWN
  return (
    <li className={styles.step}>
      {choice !== null && step.risk !== 'manual' ? (
        <input
          type="checkbox"
          className={styles.check}
          aria-labelledby={titleId}
          checked={choice.isChosen}
          disabled={choice.isDisabled}
          onChange={choice.onToggle}
        />
      ) : (
        <span className={styles.number}>{number}</span>
      )}
      <div className={styles.words}>
        <div className={styles.head}>
          <span id={titleId} className={styles.title}>
            {step.title}
          </span>
          <Chip tone={risk.tone} title={risk.hint}>
            {step.risk}
          </Chip>
        </div>
        <p className={styles.text}>{step.description}</p>
        {step.cannotRestore !== null && <p className={styles.lost}>Stays lost: {step.cannotRestore}</p>}
        <div className={styles.foot}>
          <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} />
            {step.rows === 0 ? 'Details' : plural(step.rows, 'row')}
          </button>
          {step.nodes.slice(0, NODES_SHOWN).map((id) => (
            <NodeLink key={id} id={id} maxChars={13} conversationId={step.conversationId} />
          ))}
          {more > 0 && <span className={styles.dim}>and {formatCount(more)} more</span>}
        </div>
        {isOpen && <StepDetails step={step} />}
      </div>
    </li>
  )
}
