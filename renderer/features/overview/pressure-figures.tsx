import { useQuery } from '@tanstack/react-query'
import type { ConversationRow } from '../../../core/contract/memory.ts'
import { api } from '../../api.ts'
import { CompactButton } from '../../ui/compact-button.tsx'
import { Dim } from '../../ui/dim.tsx'
import { formatCompact, formatCompression, formatCount, formatPressure, plural } from '../../ui/format.ts'
import { PressureBar } from '../../ui/pressure-bar.tsx'
import { roomText } from '../../ui/room-text.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { useWindowRule } from '../../ui/use-window-rule.ts'
import { barWidth } from './overview-figures.ts'
import styles from './pressure-figures.module.css'

type Props = { readonly conversation: ConversationRow; readonly budgetTokens: number }

/** How full the window is, and how much history it stands for. */
export function PressureFigures({ conversation, budgetTokens }: Props) {
  const rule = useWindowRule()
  const settings = useQuery(api.memory.settings.queryOptions())
  const { contextTokens, activeTokens, leftOutTokens, leftOutItems, storedTokens, pressure, contextItems } =
    conversation
  const { messages, summaries, updatedAtMs } = conversation
  const soft = settings.data?.softThreshold ?? 1
  const hard = settings.data?.hardThreshold ?? 1
  return (
    <section className={styles.figures} aria-label="Pressure">
      <div className={styles.head}>
        <p>
          <strong className={styles.large}>{formatPressure(pressure)}</strong>{' '}
          <Dim>
            of the window: {formatCount(contextTokens)} of {formatCount(budgetTokens)} tokens
            {rule !== null && ', worked out from the file, which stores no window'}
          </Dim>
        </p>
        <p className={styles.decision}>
          {settings.data &&
            roomText({ activeTokens, leftOutTokens, budgetTokens, softThreshold: soft, hardThreshold: hard })}{' '}
          <CompactButton />
        </p>
      </div>
      <div className={styles.bar}>
        <PressureBar
          pressure={pressure}
          activeShare={activeTokens / budgetTokens}
          softThreshold={soft}
          hardThreshold={hard}
        />
      </div>
      <div className={styles.scale}>
        <span>stored</span>
        <span className={styles.track}>{storedTokens > 0 && <span className={styles.stored} />}</span>
        <span className={styles.number}>{formatCompact(storedTokens)} tokens</span>
        <Dim>
          {plural(messages, 'message')}, {plural(summaries, 'summary', 'summaries')}
        </Dim>
        <span>in the window</span>
        <span className={styles.track}>
          <TokenBar className={styles.lit} tokens={contextTokens} of={storedTokens} />
        </span>
        <span className={styles.number}>{formatCompact(contextTokens)} tokens</span>
        <Dim>
          {plural(contextItems - leftOutItems, 'item')}
          {contextTokens > 0 &&
            contextTokens < storedTokens &&
            `, ${formatCompression(storedTokens / contextTokens)} less than is stored`}
        </Dim>
        {leftOutItems > 0 && (
          <>
            <span>left out</span>
            <span className={styles.track}>
              <TokenBar className={styles.leftOut} tokens={leftOutTokens} of={storedTokens} />
            </span>
            <span className={styles.number}>{formatCompact(leftOutTokens)} tokens</span>
            <Dim>
              {plural(leftOutItems, 'item')} of the {formatCount(contextItems)} active, of {formatCompact(activeTokens)}{' '}
              tokens
            </Dim>
          </>
        )}
      </div>
      <p>
        <Dim>
          Last change <TimeText atMs={updatedAtMs} />
        </Dim>
      </p>
    </section>
  )
}

type TokenBarProps = { readonly className: string | undefined; readonly tokens: number; readonly of: number }

function TokenBar({ className, tokens, of }: TokenBarProps) {
  const width = barWidth(tokens, of)
  return width === null ? null : <span className={className} style={{ width }} />
}
