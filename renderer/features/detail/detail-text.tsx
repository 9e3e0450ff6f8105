import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Description } from '../../../core/contract/lineage.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { FileReferences } from '../../ui/file-references.tsx'
import { formatCount } from '../../ui/format.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { useFoundMarks } from '../../ui/use-found-marks.ts'
import styles from './detail-text.module.css'

/** Only this much of a longer text is shown at first. It unfolds in steps that are laid out without a delay. */
const FOLD_CHARS = 4000
const STEP_CHARS = 100_000
const ALL_CHARS = 50_000_000

type Look = 'rendered' | 'source'

/** The text of a node. Prose is rendered, and output of tools is shown unchanged. */
export function DetailText({ description }: { readonly description: Description }) {
  const { id, kind, role, contentChars, isCut } = description
  const text = useRef<HTMLElement>(null)
  useFoundMarks(text, id)
  const [look, setLook] = useState<Look>('rendered')
  const [wanted, setWanted] = useState(FOLD_CHARS)
  const whole = useQuery({
    ...api.retrieval.describe.queryOptions({ input: { id, contentChars: ALL_CHARS } }),
    enabled: isCut && wanted > description.content.length,
  })
  const isProse = kind !== 'message' || role === 'user' || role === 'assistant' || role === 'system'
  const content = whole.data?.content ?? description.content
  const shown = content.slice(0, wanted)
  const hidden = contentChars - shown.length
  const step = Math.min(STEP_CHARS, hidden)

  return (
    <section ref={text} className={styles.section}>
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
          <FileReferences text={shown} />
        </pre>
      )}
      {hidden > 0 && (
        <Button look="quiet" disabled={whole.isFetching} onClick={() => setWanted(shown.length + step)}>
          {whole.isFetching
            ? 'Fetching…'
            : `Show ${step < hidden ? `${formatCount(step)} of ` : ''}${formatCount(hidden)} more characters`}
        </Button>
      )}
    </section>
  )
}
