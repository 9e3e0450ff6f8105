import { useEffect, useState } from 'react'
import { type CodeLanguage, isColourable } from './code-languages.ts'
import type { CodeLines } from './code-tokens.ts'
import type { CodeAnswer, CodeQuestion } from './code-worker.ts'
import { LimitedWorker } from './limited-worker.ts'

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
export function useCodeTokens(code: string, language: CodeLanguage | null): CodeLines | null {
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
