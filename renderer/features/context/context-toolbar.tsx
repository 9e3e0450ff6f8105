import { Segmented } from '../../ui/segmented.tsx'
import styles from './context-toolbar.module.css'

const FORMS = [
  { value: 'list', label: 'list', hint: 'The items in the order in which the model sees them' },
  { value: 'category', label: 'by category', hint: 'The items summed up' },
  { value: 'payload', label: 'payload', hint: 'The request as it is sent' },
  { value: 'difference', label: 'difference', hint: 'What changed between two moments' },
] as const
export const FORM_NAMES = ['list', 'category', 'payload', 'difference'] as const
type Form = (typeof FORM_NAMES)[number]

type Props = {
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly form: Form
  readonly onForm: (form: Form) => void
}

/** Chooses the form in which the window is shown, and the query that ranks its older items. */
export function ContextToolbar({ query, onQuery, form, onForm }: Props) {
  return (
    <div className={styles.bar} role="toolbar" aria-label="Shown">
      <input
        type="search"
        className={styles.query}
        value={query}
        aria-label="Rank older items by relevance to"
        placeholder="Rank by relevance to…"
        spellCheck={false}
        onChange={(event) => onQuery(event.target.value)}
      />
      <span className={styles.space} />
      <Segmented label="Shown as" options={FORMS} value={form} onChange={onForm} />
    </div>
  )
}
