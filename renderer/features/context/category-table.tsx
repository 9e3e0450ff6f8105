import { useMemo } from 'react'
import type { AssembledContext, ContextItem } from '#core/contract/context.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { LargeRow } from '#renderer/ui/nodes/large-row.tsx'
import figures from '#renderer/ui/styles/figure-table.module.css'
import { formatCount, formatPercent } from '#renderer/ui/texts/format.ts'
import { categoryColor, categoryOf } from './category.ts'
import styles from './context-view.module.css'
import { type Group, groupsByCategory, groupsByReason, largestItems } from './groups.ts'

/** The window summed up by kind of item, and by the reason why items are in or out. */
export function CategoryTable({ window }: { readonly window: AssembledContext }) {
  const categories = useMemo(() => groupsByCategory(window.items), [window.items])
  const reasons = useMemo(() => groupsByReason(window.items), [window.items])
  return (
    <div className={styles.tables}>
      <section>
        <SectionHeading>By kind</SectionHeading>
        <GroupRows groups={categories} head="kind" windowTokens={window.tokens} />
      </section>
      <section>
        <SectionHeading>By reason</SectionHeading>
        <GroupRows groups={reasons} head="why" windowTokens={window.tokens} />
      </section>
      <LargestItems items={window.items} />
    </div>
  )
}

/** The largest items of the window. */
function LargestItems({ items }: { readonly items: readonly ContextItem[] }) {
  const largest = useMemo(() => largestItems(items), [items])
  const most = largest[0]?.tokens ?? 1
  if (largest.length === 0) return null
  return (
    <section className={styles.table}>
      <SectionHeading aside="tokens">Largest</SectionHeading>
      <ul>
        {largest.map((item) => (
          <li key={item.id}>
            <LargeRow
              id={item.id}
              text={item.excerpt}
              tokens={item.tokens}
              most={most}
              color={categoryColor(categoryOf(item))}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

type RowsProps = { readonly groups: readonly Group[]; readonly head: string; readonly windowTokens: number }

function GroupRows({ groups, head, windowTokens }: RowsProps) {
  return (
    <table className={classNames(figures.table, styles.table)}>
      <thead>
        <tr>
          <th>{head}</th>
          <th>items</th>
          <th>tokens</th>
          <th>share</th>
          <th>
            <span className="unseen">share, drawn</span>
          </th>
          <th>left out</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ key, label, category, items, tokens, outItems, outTokens }) => {
          const share = windowTokens === 0 ? 0 : tokens / windowTokens
          const color = category === null ? 'var(--tool)' : categoryColor(category)
          return (
            <tr key={key}>
              <td>
                {category !== null && <span className={styles.categorySwatch} style={{ background: color }} />}
                {label}
              </td>
              <td>{formatCount(items)}</td>
              <td>{formatCount(tokens)}</td>
              <td>{items === 0 ? '' : formatPercent(share)}</td>
              <td className={styles.wide}>
                <span className={figures.bar} style={{ width: `${share * 100}%`, background: color }} />
              </td>
              <td className={styles.categoryOut}>
                {outItems > 0 && `${formatCount(outItems)} · ${formatCount(outTokens)}`}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
