import type { CompactionDecision } from '../../../core/contract/compaction.ts'
import figures from '../../ui/figure-table.module.css'
import { formatCount } from '../../ui/format.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { TRIGGER_NAMES } from './compaction-wording.ts'
import styles from './trigger-table.module.css'

/** The basis of the decision: each trigger with its figure and its limit. */
export function TriggerTable({ decision }: { readonly decision: CompactionDecision }) {
  return (
    <section>
      <SectionHeading>Why</SectionHeading>
      <table className={figures.table}>
        <thead>
          <tr>
            <th>trigger</th>
            <th>now</th>
            <th>limit</th>
            <th>state</th>
          </tr>
        </thead>
        <tbody>
          {decision.triggers.map((trigger) => {
            const isOff = trigger.name === 'active_messages' && trigger.limit === 0
            return (
              <tr key={trigger.name}>
                <td>{TRIGGER_NAMES[trigger.name]}</td>
                <td>{formatCount(trigger.value)}</td>
                <td>{isOff ? 'off' : formatCount(trigger.limit)}</td>
                <td className={styles.state} data-fired={trigger.fired ? '' : undefined}>
                  {trigger.fired ? 'fired' : 'quiet'}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
