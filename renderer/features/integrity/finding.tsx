import { useState } from 'react'
import type { CheckResult } from '../../../core/contract/integrity.ts'
import { formatCount } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import styles from './finding.module.css'

/** Samples in the row itself; unfolding shows the rest. */
const IN_ROW = 2

/** A check that found something: what it means, how often, and where. */
export function Finding({ check }: { readonly check: CheckResult }) {
  const [isOpen, setOpen] = useState(false)
  const linked = check.samples.filter((sample) => sample.id !== null)
  return (
    <article className={styles.finding} data-severity={check.severity}>
      <div className={styles.row}>
        <span className={styles.swatch} role="img" aria-label={check.severity} title={check.severity} />
        <button type="button" className={styles.id} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {check.id}
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} />
        </button>
        <p className={styles.text}>{check.explanation}</p>
        <span className={styles.count}>{formatCount(check.count)}</span>
        <span className={styles.samples}>
          {linked.slice(0, IN_ROW).map(
            ({ id, conversationId }, index) =>
              id !== null && (
                // biome-ignore lint/suspicious/noArrayIndexKey: samples are fixed, and may repeat an id
                <NodeLink key={index} id={id} maxChars={18} conversationId={conversationId} />
              ),
          )}
          {linked.length > IN_ROW && !isOpen && (
            <button type="button" className={styles.more} onClick={() => setOpen(true)}>
              {formatCount(check.count - IN_ROW)} more
            </button>
          )}
        </span>
      </div>
      {isOpen && <FindingDetails check={check} />}
    </article>
  )
}

function FindingDetails({ check }: { readonly check: CheckResult }) {
  const rest = check.count - check.samples.length
  return (
    <div className={styles.details}>
      <p>
        <span className={styles.name}>It should be</span> {check.invariant}
      </p>
      <p>
        <span className={styles.name}>Repair</span>{' '}
        {check.repairable
          ? 'It can be repaired from what the file holds.'
          : 'It cannot be repaired from this file alone.'}
      </p>
      <ul className={styles.list}>
        {check.samples.map(({ id, conversationId, detail }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: samples are fixed, and may repeat an id
          <li key={index}>
            {id !== null && <NodeLink id={id} maxChars={24} conversationId={conversationId} />}
            <span className={styles.detail}>{detail}</span>
          </li>
        ))}
        {rest > 0 && <li className={styles.detail}>and {formatCount(rest)} more of the kind</li>}
      </ul>
    </div>
  )
}
