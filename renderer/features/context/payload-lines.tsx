import { useMemo } from 'react'
import { Virtuoso } from 'react-virtuoso'
import { classNames } from '../../ui/class-names.ts'
import { type JsonLine, jsonLines } from './json-lines.ts'
import styles from './payload-lines.module.css'

const LINE_PX = 18

/** JSON, line by line; only the lines in sight exist. */
export function PayloadLines({ payload }: { readonly payload: unknown }) {
  const lines = useMemo(() => jsonLines(payload), [payload])
  return (
    <Virtuoso
      className={styles.lines}
      totalCount={lines.length}
      defaultItemHeight={LINE_PX}
      increaseViewportBy={400}
      tabIndex={0}
      role="region"
      aria-label="Payload as JSON"
      itemContent={(index) => {
        const line = lines[index]
        return line === undefined ? null : <Line line={line} number={index + 1} />
      }}
    />
  )
}

function Line({ line, number }: { readonly line: JsonLine; readonly number: number }) {
  return (
    <div className={styles.line}>
      <span className={styles.number} data-number={number} />
      <code className={styles.code} style={{ paddingLeft: `${line.indent * 2 + (line.continues ? 2 : 0)}ch` }}>
        {line.key !== null && <span className={styles.key}>{JSON.stringify(line.key)}: </span>}
        <span className={classNames(styles[line.kind])}>{line.text}</span>
      </code>
    </div>
  )
}
