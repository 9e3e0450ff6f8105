import { meaningOf } from '../../../core/contract/glossary.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import figures from '../../ui/figure-table.module.css'
import { formatCompact, formatCompression, formatCount } from '../../ui/format.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { type Breakdown, byDepth, compressionOf, depthName } from './overview-figures.ts'
import styles from './overview-table.module.css'

/** How much each layer compresses. */
export function DepthTable({ depths }: { readonly depths: readonly Breakdown[] }) {
  return (
    <section>
      <SectionHeading>Summaries by depth</SectionHeading>
      {depths.length === 0 ? (
        <p className={styles.none}>Nothing was summarised yet.</p>
      ) : (
        <table className={figures.table}>
          <thead>
            <tr>
              <th title={meaningOf('depth')}>layer</th>
              <th>summaries</th>
              <th>tokens</th>
              <th>stand for</th>
              <th>compression</th>
            </tr>
          </thead>
          <tbody>
            {byDepth(depths).map((row) => {
              const ratio = compressionOf(row)
              return (
                <tr key={row.key}>
                  <td className={styles.name} title={meaningOf(row.key === '0' ? 'leaf, condensed' : 'depth')}>
                    <DepthSwatch node={{ kind: row.key === '0' ? 'leaf' : 'condensed', depth: Number(row.key) }} />
                    {depthName(row.key)}
                  </td>
                  <td>{formatCount(row.count)}</td>
                  <td>{formatCompact(row.tokens)}</td>
                  <td>{row.sourceTokens === null ? '–' : formatCompact(row.sourceTokens)}</td>
                  <td>{ratio === null ? '–' : formatCompression(ratio)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}
