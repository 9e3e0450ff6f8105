import { Fragment, useEffect, useState } from 'react'
import { type CodeLanguage, isColourable } from './code-languages.ts'
import type { CodeLines, CodeToken } from './code-tokens.ts'
import type { CodeAnswer, CodeQuestion } from './code-worker.ts'
import styles from './coloured-code.module.css'
import { FileReferences } from './file-references.tsx'
import { LimitedWorker } from './limited-worker.ts'
import { MarkedText } from './marked-text.tsx'

type Props = {
  readonly text: string
  /** Null for plain text. */
  readonly language: CodeLanguage | null
}

/** Code in colours. It is plain until its grammar is loaded. Its text is never changed. */
export function ColouredCode({ text, language }: Props) {
  const lines = useCodeTokens(text, language)
  if (lines === null) return <FileReferences text={text} />
  return lines.map((tokens, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text never change places
    <Fragment key={index}>
      {index > 0 && '\n'}
      <CodeTokens tokens={tokens} />
    </Fragment>
  ))
}

/** The tokens of a line. */
export function CodeTokens({ tokens }: { readonly tokens: readonly CodeToken[] }) {
  return tokens.map(({ text, look }, index) =>
    look === null ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one line never change places
      <MarkedText key={index} text={text} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one line never change places
      <span key={index} className={styles[look]} data-look={look}>
        <MarkedText text={text} />
      </span>
    ),
  )
}

/** A grammar that takes longer is stopped, and the code that it was given stays plain. */
const LIMIT_MS = 10_000
const MOST_KEPT = 300

/** Code is coloured in a worker, one text after the other, so that the window never waits for a grammar. */
const worker = new LimitedWorker<CodeQuestion, CodeAnswer>({
  start: () => new Worker(new URL('./code-worker.ts', import.meta.url), { type: 'module' }),
  limitMs: LIMIT_MS,
})
const kept = new Map<string, Promise<CodeLines | null>>()

/** Returns the tokens of code, or null when it stays plain. */
export function tokensByWorker(code: string, language: CodeLanguage): Promise<CodeLines | null> {
  const key = `${language}\n${code}`
  const known = kept.get(key)
  if (known) return known
  const asked = worker.ask({ code, language }).then((answer) => (typeof answer === 'string' ? null : answer.lines))
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '')
  kept.set(key, asked)
  return asked
}

/** Returns the tokens of code once they are known. Null until then, and when it stays plain. */
function useCodeTokens(code: string, language: CodeLanguage | null): CodeLines | null {
  const [known, setKnown] = useState<{ readonly code: string; readonly lines: CodeLines | null } | null>(null)
  useEffect(() => {
    if (language === null || !isColourable(code)) return
    let isWanted = true
    void tokensByWorker(code, language).then((lines) => {
      if (isWanted) setKnown({ code, lines })
    })
    return () => {
      isWanted = false
    }
  }, [code, language])
  return known?.code === code && language !== null ? known.lines : null
}
