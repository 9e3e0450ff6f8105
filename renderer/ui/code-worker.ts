import type { CodeLanguage } from './code-languages.ts'
import { type CodeLines, codeTokens } from './code-tokens.ts'

/** What this worker is asked. */
export type CodeQuestion = { readonly id: number; readonly code: string; readonly language: CodeLanguage }
/** Its answer. Null when the code cannot be coloured. */
export type CodeAnswer = { readonly id: number; readonly lines: CodeLines | null }

self.addEventListener('message', ({ data }: MessageEvent<CodeQuestion>) => {
  const answer = (lines: CodeLines | null) => self.postMessage({ id: data.id, lines } satisfies CodeAnswer)
  // Code that a grammar fails on is shown plain.
  codeTokens(data.code, data.language).then(answer, () => answer(null))
})
