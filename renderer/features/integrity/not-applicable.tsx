import { useState } from 'react'
import type { CheckResult } from '../../../core/contract/integrity.ts'
import { Button } from '../../ui/button.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import styles from './report-view.module.css'

/** Checks that were not made, folded: each with the reason. */
export function NotApplicable({ checks }: { readonly checks: readonly CheckResult[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section className={styles.group}>
      <SectionHeading
        aside={
          <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Fold' : 'Show why'}
          </Button>
        }
      >
        Not applicable · {checks.length}
      </SectionHeading>
      {isOpen && (
        <dl className={styles.reasons}>
          {checks.map((check) => (
            <div key={check.id}>
              <dt>{check.id}</dt>
              <dd>{check.notApplicable}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
