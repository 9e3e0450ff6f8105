import { type NodeLook, nodeColor } from './depth-color.ts'
import styles from './depth-swatch.module.css'

/** A small square in the colour of a node. It is decoration: the name is always beside it. */
export function DepthSwatch({ node }: { readonly node: NodeLook }) {
  return <span className={styles.swatch} style={{ background: nodeColor(node) }} aria-hidden="true" />
}
