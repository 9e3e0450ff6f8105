import { Fragment } from 'react'
import type { CodeLanguage } from './code-languages.ts'
import type { CodeToken } from './code-tokens.ts'
import styles from './coloured-code.module.css'
import { FileReferences } from './file-references.tsx'
import { MarkedText } from './marked-text.tsx'
import { useCodeTokens } from './use-code-tokens.ts'

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
