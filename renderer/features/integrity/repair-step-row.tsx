import { useId, useState } from 'react'
import type { RepairStep } from '#core/contract/repair.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { changedTables } from '#renderer/ui/data/change-rows.ts'
import { checkTitle } from '#renderer/ui/data/check-titles.ts'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { ChangeTable } from '#renderer/ui/parts/change-table.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import styles from './repair-panel.module.css'
import { RISKS, stepTitle, stepWords } from './repair-wording.ts'

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
  const { sentence, rows } = stepWords(step.description)
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
            {stepTitle(step)}
          </span>
          <Chip tone={risk.tone} title={risk.hint}>
            {step.risk}
          </Chip>
        </div>
        {sentence !== '' && <p className={styles.text}>{sentence}</p>}
        {step.cannotRestore !== null && <p className={styles.lost}>Stays lost: {step.cannotRestore}</p>}
        <div className={styles.stepFoot}>
          <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} />
            {step.rows === 0 ? 'Details' : plural(step.rows, 'row')}
          </button>
          {step.nodes.slice(0, NODES_SHOWN).map((id) => (
            <NodeLink key={id} id={id} maxChars={13} conversationId={step.conversationId} />
          ))}
          {more > 0 && <span className={styles.stepDim}>and {formatCount(more)} more</span>}
        </div>
        {isOpen && <StepDetails step={step} rows={rows} />}
      </div>
    </li>
  )
}

const FIRST_ROWS = 20

/** Every row of a step before and after, as far as the plan lists them, which checks it settles, and its SQL. */
function StepDetails({ step, rows }: { readonly step: RepairStep; readonly rows: string | null }) {
  const [isWhole, setWhole] = useState(false)
  const [copied, copy] = useCopy()
  const shown = isWhole ? step.changes : step.changes.slice(0, FIRST_ROWS)
  const hidden = step.changes.length - shown.length
  const unlisted = step.rows - step.changes.length
  return (
    <div className={styles.details}>
      {rows !== null && <p className="dim">{rows}</p>}
      {changedTables(shown).map((table) => (
        <ChangeTable key={table.table} {...table} />
      ))}
      {hidden > 0 ? (
        <Button look="quiet" className={styles.more} onClick={() => setWhole(true)}>
          Show {formatCount(hidden)} more
        </Button>
      ) : (
        unlisted > 0 &&
        step.changes.length > 1 && <p className="dim">and {plural(unlisted, 'row')} more: an exported plan lists all</p>
      )}
      <dl className={styles.facts}>
        <dt>settles</dt>
        <dd>
          {step.fixes.map((id, index) => (
            <span key={id}>
              {checkTitle(id)} <code>{id}</code>
              {index < step.fixes.length - 1 && ', '}
            </span>
          ))}
        </dd>
        {step.dependsOn.length > 0 && (
          <>
            <dt>needs first</dt>
            <dd>
              <code>{step.dependsOn.join(', ')}</code>
            </dd>
          </>
        )}
        <dt>stays lost</dt>
        <dd>{step.cannotRestore ?? 'nothing'}</dd>
      </dl>
      {step.sql.length > 0 && (
        <Button look="quiet" className={styles.more} onClick={() => copy(step.sql.join('\n'))}>
          {copied === 'copied' ? 'Copied' : 'Copy as SQL'}
        </Button>
      )}
    </div>
  )
}
