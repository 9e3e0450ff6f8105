import { useState } from 'react'
import type { RepairStep } from '../../../core/contract/repair.ts'
import { Button } from '../../ui/button.tsx'
import { changedTables } from '../../ui/change-rows.ts'
import { ChangeTable } from '../../ui/change-table.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { useCopy } from '../../ui/use-copy.ts'
import styles from './step-details.module.css'

const FIRST_ROWS = 20

/** Every row of a step before and after, as far as the plan lists them, which checks it settles, and its SQL. */
export function StepDetails({ step }: { readonly step: RepairStep }) {
  const [isWhole, setWhole] = useState(false)
  const [copied, copy] = useCopy()
  const shown = isWhole ? step.changes : step.changes.slice(0, FIRST_ROWS)
  const hidden = step.changes.length - shown.length
  const unlisted = step.rows - step.changes.length
  return (
    <div className={styles.details}>
      {changedTables(shown).map((table) => (
        <ChangeTable key={table.table} {...table} />
      ))}
      {hidden > 0 ? (
        <Button look="quiet" className={styles.more} onClick={() => setWhole(true)}>
          Show {formatCount(hidden)} more
        </Button>
      ) : (
        unlisted > 0 &&
        step.changes.length > 1 && (
          <p className={styles.dim}>and {plural(unlisted, 'row')} more: an exported plan lists all</p>
        )
      )}
      <dl className={styles.facts}>
        <dt>settles</dt>
        <dd>
          <code>{step.fixes.join(', ')}</code>
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
