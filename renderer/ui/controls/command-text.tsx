import { Button } from './button.tsx'
import styles from './command-text.module.css'
import { useCopy } from './use-copy.ts'

const LABELS = { idle: 'Copy', copied: 'Copied', failed: 'Not copied' } as const

/** A command to be typed into a terminal, with a button that copies it. */
export function CommandText({ command }: { readonly command: string }) {
  const [state, copy] = useCopy()
  return (
    <span className={styles.command}>
      <code>{command}</code>
      <Button look="quiet" aria-label={`Copy “${command}”`} onClick={() => copy(command)}>
        {LABELS[state]}
      </Button>
    </span>
  )
}
