import { useMemo } from 'react'
import { StoredPicture, useStoredPicture } from '#renderer/ui/pictures/stored-picture.tsx'
import type { CodeLanguage } from '#renderer/ui/texts/code-languages.ts'
import { picturesIn } from '#renderer/ui/texts/file-references.tsx'
import { formatBytes, formatCount, plural } from '#renderer/ui/texts/format.ts'
import { useFound } from '#renderer/ui/texts/found-texts.ts'
import { LongText } from '#renderer/ui/texts/long-text.tsx'
import { Markdown } from '#renderer/ui/texts/markdown.tsx'
import { previewOf } from '#renderer/ui/texts/text-pieces.ts'
import { useFold } from './folds.tsx'
import { PAGE_CHARS } from './pages.ts'
import styles from './preview-text.module.css'

type Props = {
  readonly text: string
  readonly foldKey: string
  /** `markdown` is rendered, unless rendering would change it. */
  readonly face: 'code' | 'prose' | 'markdown'
  /** The language of code, or null for plain text. */
  readonly language?: CodeLanguage | null
  readonly tone?: 'plain' | 'quoted' | 'error'
  /** Loads all texts of the message. Set when some of them were cut. */
  readonly onWhole?: (() => void) | undefined
}

const PREVIEW_LINES = 24
const PREVIEW_CHARS = 3_000
/** Parsing a longer text as Markdown would slow scrolling down. */
const MARKDOWN_CHARS = 8_000
const MUCH_CHARS = 20_000
const MOST_PICTURES = 4

/** The first lines of a text, and the rest behind one button, whether it is here already or has to be loaded. */
export function PreviewText({ text, foldKey, face, language = null, tone = 'plain', onWhole }: Props) {
  const found = useFound(foldKey.slice(0, foldKey.indexOf('/')))
  const preview = useMemo(() => previewOf(text, PREVIEW_LINES, PREVIEW_CHARS), [text])
  // What a search found is unfolded at first.
  const [isTurned, toggle] = useFold(foldKey)
  const isFoundBelow = found?.texts.some((one) => !preview.head.includes(one) && text.includes(one)) ?? false
  const isOpen = isTurned !== isFoundBelow
  // A text that was cut is as long as the page allows.
  const isMoreStored = onWhole !== undefined && text.length >= PAGE_CHARS - 1
  const hasMore = preview.hiddenChars > 0 || isMoreStored
  const shown = isOpen ? text : preview.head
  const pictures = useMemo(() => picturesIn(shown).slice(0, MOST_PICTURES), [shown])
  return (
    <div className={styles.preview} data-tone={tone} data-cut={hasMore && !isOpen}>
      {face === 'markdown' && shown.length <= MARKDOWN_CHARS ? (
        <Markdown text={shown} />
      ) : (
        <LongText
          text={shown}
          face={face === 'code' ? 'code' : 'prose'}
          language={language}
          isBounded={isOpen && text.length > MUCH_CHARS}
          found={found?.texts}
        />
      )}
      {hasMore && (
        <button
          type="button"
          className={styles.more}
          aria-expanded={isOpen}
          onClick={() => {
            if (!isOpen && isMoreStored) onWhole()
            toggle()
          }}
        >
          {isOpen ? 'Show less' : `${isMoreStored ? 'over ' : ''}${moreText(preview.hiddenLines, preview.hiddenChars)}`}
        </button>
      )}
      {pictures.length > 0 && (
        <div className={styles.pictures}>
          {pictures.map((picture) => (
            <ReferredPicture key={picture.id} {...picture} />
          ))}
        </div>
      )}
    </div>
  )
}

/** A large file to which a text refers, when it is a picture or a PDF. */
function ReferredPicture({ id, name }: { readonly id: string; readonly name: string }) {
  const file = useStoredPicture(id, true)
  return file ? <StoredPicture file={file} name={name} /> : null
}

function moreText(lines: number, chars: number): string {
  if (lines <= 1) return `${formatCount(chars)} more characters`
  return `${plural(lines, 'more line')} · ${formatBytes(chars)}`
}
