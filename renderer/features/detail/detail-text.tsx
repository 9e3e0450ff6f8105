import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Description } from '../../../core/contract/lineage.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import styles from './detail-text.module.css'

/** Longer texts begin with this much and unfold. */
const FOLD_CHARS = 4000
const ALL_CHARS = 5_000_000

type Look = 'rendered' | 'source'

/** The text itself. Prose is rendered; what a tool wrote stands as it is. */
export function DetailText({ description }: { readonly description: Description }) {
  const { id, kind, role, contentChars, isCut } = description
  const [look, setLook] = useState<Look>('rendered')
  const [unfoldedId, setUnfoldedId] = useState<string | null>(null)
  const isUnfolded = unfoldedId === id
  const whole = useQuery({
    ...api.retrieval.describe.queryOptions({ input: { id, contentChars: ALL_CHARS } }),
    enabled: isUnfolded && isCut,
  })
  const isProse = kind !== 'message' || role === 'user' || role === 'assistant' || role === 'system'
  const content = (isUnfolded && whole.data?.content) || description.content
  const shown = isUnfolded ? content : content.slice(0, FOLD_CHARS)
  const hidden = contentChars - shown.length

  return (
    <section className={styles.section}>
      <SectionHeading
        aside={
          isProse && (
            <Segmented<Look>
              label="Show the text"
              options={[
                { value: 'rendered', label: 'rendered' },
                { value: 'source', label: 'source' },
              ]}
              value={look}
              onChange={setLook}
            />
          )
        }
      >
        {kind === 'file' ? 'Exploration summary' : 'Text'}
      </SectionHeading>
      {content === '' ? (
        <p className={styles.none}>{kind === 'file' ? 'None was stored.' : 'The text is empty.'}</p>
      ) : isProse && look === 'rendered' ? (
        <Markdown text={shown} />
      ) : (
        <pre className={styles.source} dir="auto">
          {shown}
        </pre>
      )}
      {hidden > 0 && (
        <Button look="quiet" disabled={whole.isFetching} onClick={() => setUnfoldedId(id)}>
          {whole.isFetching ? 'Fetching…' : `Show ${formatCount(hidden)} more characters`}
        </Button>
      )}
    </section>
  )
}
