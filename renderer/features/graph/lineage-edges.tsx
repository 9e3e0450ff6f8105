import { ViewportPortal } from '@xyflow/react'
import { nodeColor } from '../../ui/depth-color.ts'
import type { PlacedEdge } from './edge-path.ts'
import styles from './lineage-graph.module.css'

/**
 * The edges from each summary to its sources, in the colour of the summary. Their paths come from the layout, so React
 * Flow measures nothing for them. Edges with an error lie on top and are described in words.
 */
export function LineageEdges({ edges }: { readonly edges: readonly PlacedEdge[] }) {
  return (
    <ViewportPortal>
      <svg className={styles.edges} width="1" height="1" aria-hidden="true">
        {edges.map(
          ({ id, state, path, from }) =>
            state === 'sound' && <path key={id} className={styles.edge} d={path} style={{ stroke: nodeColor(from) }} />,
        )}
      </svg>
      <svg className={styles.unsoundEdges} width="1" height="1" aria-hidden="true">
        {edges.map(
          ({ id, state, path, label }) =>
            state !== 'sound' && (
              <g key={id}>
                <path className={styles.unsound} d={path} />
                <text
                  className={styles.edgeLabel}
                  x={label.x}
                  y={label.y}
                  textAnchor="middle"
                  dominantBaseline="central"
                >
                  {state}
                </text>
              </g>
            ),
        )}
      </svg>
    </ViewportPortal>
  )
}
