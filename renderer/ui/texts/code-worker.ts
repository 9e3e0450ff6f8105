import type { CodeLanguage } from './code-languages.ts'
import { type CodeLines, codeTokens } from './code-tokens.ts'
import { type Numbered, READY } from './limited-worker.ts'

/** What this worker is asked. */
export type CodeQuestion = { readonly code: string; readonly language: CodeLanguage }
/** Its answer. Null when the code cannot be coloured. */
export type CodeAnswer = { readonly lines: CodeLines | null }

self.addEventListener('message', ({ data: { id, value } }: MessageEvent<Numbered<CodeQuestion>>) => {
  const answer = (lines: CodeLines | null) => self.postMessage({ id, value: { lines } } satisfies Numbered<CodeAnswer>)
  // Code that a grammar fails on is shown plain.
  codeTokens(value.code, value.language).then(answer, () => answer(null))
})

self.postMessage(READY)
