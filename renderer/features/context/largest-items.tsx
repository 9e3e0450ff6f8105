import { useMemo } from 'react'
import type { ContextItem } from '../../../core/contract/context.ts'
import { navigate } from '../../routes.ts'
import { formatCount, shortenId } from '../../ui/format.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { categoryColor, categoryOf } from './category.ts'
import { largestItems } from './largest.ts'
import styles from './largest-items.module.css'

/** What takes the most room in the window. */
export function LargestItems({ items }: { readonly items: readonly ContextItem[] }) {
  const largest = useMemo(() => largestItems(items), [items])
  const most = largest[0]?.tokens ?? 1
  if (largest.length === 0) return null
  return (
    <section>
      <SectionHeading aside="tokens">Largest in the window</SectionHeading>
      <ul>
        {largest.map((item) => (
          <li key={item.id}>
            <button
              type="button"
              className={styles.row}
              title={`Select ${item.id}`}
              onClick={() => navigate({ selection: item.id }, 'push')}
            >
              <span className={styles.line}>
                <span className={styles.id}>{shortenId(item.id)}</span>
                <span className={styles.excerpt}>
                  <bdi>{item.excerpt}</bdi>
                </span>
                <span>{formatCount(item.tokens)}</span>
              </span>
              <span className={styles.track}>
                <span
                  className={styles.bar}
                  style={{ width: `${(item.tokens / most) * 100}%`, background: categoryColor(categoryOf(item)) }}
                />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
