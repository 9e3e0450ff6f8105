import { useMemo } from 'react'
import type { ContextItem } from '../../../core/contract/context.ts'
import { LargeRow } from '../../ui/large-row.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { categoryColor, categoryOf } from './category.ts'
import { largestItems } from './largest.ts'

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
