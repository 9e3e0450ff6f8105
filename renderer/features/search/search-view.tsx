import { navigate, useRoute } from '../../routes.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { AskView } from './ask-view.tsx'
import { FindView } from './find-view.tsx'
import styles from './search-view.module.css'

/** Searches for texts, or asks a question. */
export function SearchView({ conversationId }: { readonly conversationId: number | null }) {
  const { isAsking } = useRoute()
  return (
    <section className={styles.view} aria-label="Search">
      {isAsking ? (
        <AskView conversationId={conversationId} kinds={<KindSwitch isAsking />} />
      ) : (
        <FindView conversationId={conversationId} kinds={<KindSwitch isAsking={false} />} />
      )}
    </section>
  )
}

const KINDS = [
  { value: 'find', label: 'Find', hint: 'Every text that has these words' },
  { value: 'ask', label: 'Ask', hint: 'A question, answered from the best passages' },
] as const

/** Chooses between finding texts and asking a question. */
function KindSwitch({ isAsking }: { readonly isAsking: boolean }) {
  return (
    <Segmented
      label="Find or ask"
      options={KINDS}
      value={isAsking ? 'ask' : 'find'}
      onChange={(kind) => navigate({ isAsking: kind === 'ask' }, 'replace')}
    />
  )
}
