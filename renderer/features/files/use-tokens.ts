import { useEffect, useRef, useState } from 'react'
import type { FileRow } from '../../../core/contract/file.ts'
import type { FileInfo } from '../../../core/contract/lineage.ts'
import type { Token } from './highlight-lines.ts'

type Tokens = readonly (readonly Token[])[]
type Colours = Pick<typeof import('./highlight-lines.ts'), 'highlightLines' | 'languageOf'>

/** Colours chunks of a file as they come in sight. The grammars are loaded with the first file; until then text is plain. */
export function useTokens(file: FileInfo): (rows: readonly FileRow[] | undefined) => Tokens | undefined {
  const [colours, setColours] = useState<Colours | null>(null)
  const known = useRef(new Map<readonly FileRow[], Tokens>())
  useEffect(() => {
    let isWanted = true
    void import('./highlight-lines.ts').then((module) => {
      if (isWanted) setColours(module)
    })
    return () => {
      isWanted = false
    }
  }, [])
  return (rows) => {
    if (colours === null || rows === undefined) return undefined
    const tokens = known.current.get(rows)
    if (tokens) return tokens
    const fresh = colours.highlightLines(
      rows.map(({ text }) => text),
      colours.languageOf(file),
    )
    known.current.set(rows, fresh)
    return fresh
  }
}
