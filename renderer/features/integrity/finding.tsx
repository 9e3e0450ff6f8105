import { useState } from 'react'
import type { CheckResult } from '#core/contract/integrity.ts'
import { navigate, useRoutePart } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { checkTitle } from '#renderer/ui/data/check-titles.ts'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { MendedCopy } from '#renderer/ui/parts/mended-copy.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import styles from './report-view.module.css'

/** The number of samples in the row itself. Unfolding shows the rest. */
const IN_ROW = 2
const NONE: readonly CheckResult[] = []

type Props = {
  readonly check: CheckResult
  /** Findings that may vanish with this one. */
  readonly consequences?: readonly CheckResult[]
}

/** A check that found something: what it means, how often, and where. */
export function Finding({ check, consequences = NONE }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [hasConsequences, setConsequences] = useState(false)
  const selection = useRoutePart('selection')
  const linked = check.samples.filter((sample) => sample.id !== null)
  const isSelected = selection !== null && linked.some((sample) => sample.id === selection)
  return (
    <>
      <article className={classNames(styles.finding, isSelected && styles.selected)} data-severity={check.severity}>
        <div className={styles.row}>
          <span className={styles.swatch} role="img" aria-label={check.severity} title={check.severity} />
          <button
            type="button"
            className={styles.id}
            data-finding=""
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <span className={styles.name}>{checkTitle(check.id)}</span>
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} />
            <code>{check.id}</code>
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
            {linked.length === 0 && check.samples[0] !== undefined && !isOpen && (
              <span className={classNames('clamped', styles.where)} title={check.samples[0].detail}>
                <bdi>
                  <MarkedText text={check.samples[0].detail} />
                </bdi>
              </span>
            )}
            {linked.length > IN_ROW && !isOpen && (
              <button type="button" className={styles.more} onClick={() => setOpen(true)}>
                {formatCount(check.count - IN_ROW)} more
              </button>
            )}
          </span>
        </div>
        {isOpen && <FindingDetails check={check} />}
        {consequences.length > 0 && (
          <button
            type="button"
            className={styles.consequences}
            aria-expanded={hasConsequences}
            onClick={() => setConsequences(!hasConsequences)}
          >
            <Icon name={hasConsequences ? 'chevronDown' : 'chevronRight'} />
            <span>{plural(consequences.length, 'other finding')} may follow from it</span>
            {!hasConsequences && (
              <span className={styles.names}>{consequences.map(({ id }) => checkTitle(id)).join(', ')}</span>
            )}
          </button>
        )}
      </article>
      {hasConsequences && (
        <div className={styles.folded}>
          {consequences.map((consequence) => (
            <Finding key={consequence.id} check={consequence} />
          ))}
        </div>
      )}
    </>
  )
}

/** The invariant, the fix or advice, and every sample with a link. */
function FindingDetails({ check }: { readonly check: CheckResult }) {
  const rest = check.count - check.samples.length
  return (
    <div className={styles.details}>
      <Facts>
        <Fact name="It should be">{check.invariant}</Fact>
        {check.advice !== undefined && <Fact name="What to do">{check.advice}</Fact>}
      </Facts>
      <ul className={styles.list}>
        {check.samples.map(({ id, conversationId, detail }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: samples are fixed, and may repeat an id
          <li key={index}>
            {id !== null && <NodeLink id={id} maxChars={24} conversationId={conversationId} />}
            <bdi className={styles.detail}>
              <MarkedText text={detail} />
            </bdi>
            {id !== null && !id.startsWith('file') && (
              <button
                type="button"
                className={styles.more}
                aria-label={`show in the layers: ${id}`}
                onClick={() =>
                  navigate(
                    { view: 'layers', selection: id, ...(conversationId !== null && { conversationId }) },
                    'push',
                  )
                }
              >
                show in the layers
              </button>
            )}
          </li>
        ))}
        {check.id === 'broken_chain' && <Mending samples={check.samples} />}
        {rest > 0 && <li className={styles.detail}>and {formatCount(rest)} more of the kind</li>}
      </ul>
    </div>
  )
}

/** Leads to what a resume would load, and writes a mended copy of each transcript. */
function Mending({ samples }: { readonly samples: CheckResult['samples'] }) {
  const conversations = [...new Set(samples.flatMap(({ conversationId }) => conversationId ?? []))]
  return conversations.map((conversationId) => (
    <li key={conversationId}>
      <Button onClick={() => navigate({ view: 'window', conversationId, shown: { 'window.resumed': '1' } }, 'push')}>
        What a resume of conversation {conversationId} would load
      </Button>
      <MendedCopy conversationId={conversationId} />
    </li>
  ))
}
