import { useCopy } from '../controls/use-copy.ts'
import { MarkedText } from './marked-text.tsx'
import styles from './path-text.module.css'

/** A complete path, which a click copies. */
export function PathText({ path }: { readonly path: string }) {
  const [state, copy] = useCopy()
  return (
    <button
      type="button"
      className={styles.path}
      title={state === 'failed' ? 'The browser refused to copy' : 'Click to copy'}
      aria-label={`Copy ${path}`}
      onClick={() => copy(path)}
    >
      <bdi>
        <MarkedText text={path} />
      </bdi>{' '}
      <span className={styles.feedback} role="status">
        {state === 'copied' ? 'copied' : state === 'failed' ? 'not copied' : ''}
      </span>
    </button>
  )
}
