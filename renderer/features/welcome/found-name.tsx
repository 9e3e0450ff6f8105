import { plainName, shortenPath, splitPath } from '../../ui/format.ts'
import { TailText } from '../../ui/tail-text.tsx'
import styles from './memory-row.module.css'

/** The path of a project, with the name of its folder highlighted, or any other name. */
export function FoundName({ label }: { readonly label: string }) {
  const name = plainName(label)
  return (
    <span className={styles.label}>
      {/[\\/]/.test(name) ? <TailText {...splitPath(shortenPath(name, 400))} isTailStrong /> : <bdi>{name}</bdi>}
    </span>
  )
}
