import { memo } from 'react'
import type { Visibility } from '#core/contract/ids.ts'
import { depthColor, depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import styles from './coverage-gutter.module.css'
import type { Stripe } from './gutter.ts'

type Props = {
  readonly stripes: readonly (Stripe | null)[]
  readonly selection: string | null
  readonly visibility: Visibility
  /** True when the agent has pruned the text from the window. */
  readonly isPruned?: boolean
  readonly onSelect: (id: string) => void
}

const EDGES = {
  in_window: 'In the window itself',
  covered: 'Not in the window itself: covered by a summary that is',
  absent: 'Neither in the window nor under a summary that is',
} as const

const PRUNED_EDGE = 'In the window without its text: the agent has pruned it'

/**
 * Shows which summaries cover a message, as stripes that continue from row to row, and whether the message is in the
 * window itself.
 */
export const CoverageGutter = memo(function CoverageGutter({
  stripes,
  selection,
  visibility,
  isPruned,
  onSelect,
}: Props) {
  return (
    <div className={styles.gutter}>
      {stripes.map((stripe, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
        <div key={column} className={styles.column}>
          {stripe !== null && <StripeButton stripe={stripe} isSelected={isOf(stripe, selection)} onSelect={onSelect} />}
        </div>
      ))}
      <div
        className={styles.edge}
        data-visibility={visibility}
        data-pruned={isPruned}
        title={isPruned && visibility === 'in_window' ? PRUNED_EDGE : EDGES[visibility]}
      />
    </div>
  )
})

type StripeProps = {
  readonly stripe: Stripe
  readonly isSelected: boolean
  readonly onSelect: (id: string) => void
}

function StripeButton({ stripe, isSelected, onSelect }: StripeProps) {
  const { id, depth, inWindow, starts, ends, also } = stripe
  const others = also.length === 0 ? '' : `, and also ${also.join(', ')}`
  const name = `${depthLabel(depth)} ${id}${others}${inWindow ? ', in the window' : ''}`
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.stripe}
      style={{ color: depthColor(depth) }}
      data-lit={inWindow}
      data-starts={starts}
      data-ends={ends}
      data-double={also.length > 0}
      data-selected={isSelected}
      title={name}
      aria-label={`Select ${name}`}
      onClick={(event) => {
        event.stopPropagation()
        onSelect(id)
      }}
    />
  )
}

function isOf(stripe: Stripe, selection: string | null): boolean {
  return selection !== null && (stripe.id === selection || stripe.also.includes(selection))
}
