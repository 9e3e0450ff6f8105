import { NodeDetail } from '../features/detail/node-detail.tsx'
import { useRoute } from '../routes.ts'
import { Kbd } from '../ui/kbd.tsx'
import styles from './detail-panel.module.css'
import { ErrorBoundary } from './error-boundary.tsx'

/** The right side: the selection, whatever view it was made in. */
export function DetailPanel({ width }: { readonly width: number }) {
  const { selection } = useRoute()
  return (
    <aside
      className={styles.panel}
      style={{ width }}
      aria-label="Detail"
      data-empty={selection === null ? '' : undefined}
    >
      {selection === null ? (
        <NothingSelected />
      ) : (
        <ErrorBoundary key={selection}>
          <NodeDetail id={selection} />
        </ErrorBoundary>
      )}
    </aside>
  )
}

function NothingSelected() {
  return (
    <div className={styles.nothing}>
      <h2>Nothing selected</h2>
      <p>Click a bar, a row or a hit: what it says, what it stands for and where it comes from stand here.</p>
      <p>
        <Kbd>Mod K</Kbd> takes an id as well. <Kbd>?</Kbd> lists the keys.
      </p>
    </div>
  )
}
