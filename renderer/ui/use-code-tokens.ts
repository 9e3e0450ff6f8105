import { useEffect, useState } from 'react'
import { type CodeLanguage, isColourable } from './code-languages.ts'
import type { CodeLines } from './code-tokens.ts'
import type { CodeAnswer, CodeQuestion } from './code-worker.ts'

/** A grammar that takes longer is stopped, and the code that it was given stays plain. */
const LIMIT_MS = 10_000
const MOST_KEPT = 300
/** After so many workers that could not start, code stays plain. */
const MOST_FAILURES = 3

type Waiting = CodeQuestion & { readonly resolve: (lines: CodeLines | null) => void }

/** Code is coloured in a worker, one text after the other, so that the window never waits for a grammar. */
let worker: Worker | null = null
let waiting: Waiting[] = []
let limit: ReturnType<typeof setTimeout> | undefined
let lastId = 0
let failures = 0
const kept = new Map<string, Promise<CodeLines | null>>()

/** Returns the tokens of code, or null when it stays plain. */
export function tokensByWorker(code: string, language: CodeLanguage): Promise<CodeLines | null> {
  const key = `${language}\n${code}`
  const known = kept.get(key)
  if (known) return known
  const asked = new Promise<CodeLines | null>((resolve) => {
    lastId += 1
    waiting.push({ id: lastId, code, language, resolve })
    if (waiting.length === 1) askNext()
  })
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '')
  kept.set(key, asked)
  return asked
}

function askNext(): void {
  const [next] = waiting
  clearTimeout(limit)
  if (next === undefined) return
  if (failures >= MOST_FAILURES) {
    settle(next.id, null)
    return
  }
  const { id, code, language } = next
  started().postMessage({ id, code, language } satisfies CodeQuestion)
  limit = setTimeout(() => giveUp(id), LIMIT_MS)
}

/** Ends the worker, and leaves the code that it was given plain. */
function giveUp(id: number): void {
  worker?.terminate()
  worker = null
  settle(id, null)
}

function settle(id: number, lines: CodeLines | null): void {
  const [first, ...rest] = waiting
  if (first?.id !== id) return
  waiting = rest
  first.resolve(lines)
  askNext()
}

function started(): Worker {
  if (worker !== null) return worker
  worker = new Worker(new URL('./code-worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<CodeAnswer>) => {
    failures = 0
    settle(data.id, data.lines)
  })
  worker.addEventListener('error', () => {
    failures += 1
    giveUp(waiting[0]?.id ?? -1)
  })
  return worker
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
