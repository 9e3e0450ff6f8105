import { useState } from 'react'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import styles from './expansion.module.css'
import { ExpansionPages } from './expansion-pages.tsx'

type Reach = 'level' | 'messages'

/** The sources of a summary, each of which can be unfolded, or everything down to the messages. */
export function Expansion({ summaryId }: { readonly summaryId: string }) {
  const [reach, setReach] = useState<Reach>('level')
  return (
    <section className={styles.expansion}>
      <SectionHeading
        aside={
          <Segmented<Reach>
            label="Expand"
            options={[
              { value: 'level', label: 'level by level', hint: 'Its sources; each unfolds in turn' },
              { value: 'messages', label: 'all messages', hint: 'Every level at once, down to the messages' },
            ]}
            value={reach}
            onChange={setReach}
          />
        }
      >
        Expanded
      </SectionHeading>
      <ExpansionPages key={reach} summaryId={summaryId} isWhole={reach === 'messages'} />
    </section>
  )
}
