import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import figures from '../../ui/figure-table.module.css'
import { formatCompact, formatCount, formatPercent } from '../../ui/format.ts'
import { roleOf } from '../../ui/role.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { type Breakdown, withShares } from './overview-figures.ts'
import styles from './overview-table.module.css'

/** How much each role wrote. */
export function RoleTable({ roles }: { readonly roles: readonly Breakdown[] }) {
  return (
    <section>
      <SectionHeading>Messages by role</SectionHeading>
      {roles.length === 0 ? (
        <p className={styles.none}>There is no message.</p>
      ) : (
        <table className={figures.table}>
          <thead>
            <tr>
              <th>role</th>
              <th>messages</th>
              <th>tokens</th>
              <th>share</th>
              <th>
                <span className="unseen">share, drawn</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {withShares(roles, (key) => key).map((row) => (
              <tr key={row.key}>
                <td className={styles.name}>
                  <DepthSwatch node={{ kind: 'message', role: roleOf(row.key) }} />
                  {row.label}
                </td>
                <td>{formatCount(row.count)}</td>
                <td>{formatCompact(row.tokens)}</td>
                <td>{formatPercent(row.share)}</td>
                <td className={styles.wide}>
                  <span
                    className={figures.bar}
                    style={{ width: `${row.share * 100}%`, background: `var(--${row.key}, var(--tool))` }}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
