import { useRoute } from '../../routes.ts'
import { AskView } from './ask-view.tsx'
import { FindView } from './find-view.tsx'
import { KindSwitch } from './kind-switch.tsx'
import styles from './search-view.module.css'

/** Finding what was said, and asking what is known. */
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
