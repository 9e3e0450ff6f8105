import styles from './finding-mark.module.css'
import { findingText } from './findings.ts'
import { useFindings } from './use-findings.ts'

/** A small square beside a node with findings of the last scan. Its title names the checks. */
export function FindingMark({ id }: { readonly id: string }) {
  const finding = useFindings().get(id)
  if (finding === undefined) return null
  const text = findingText(finding)
  return <span className={styles.mark} data-severity={finding.severity} role="img" aria-label={text} title={text} />
}
