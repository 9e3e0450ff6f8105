import { splitHidden } from './hidden-characters.ts'
import styles from './marked-text.module.css'

/**
 * A text of a memory, in which characters that are invisible or that turn the direction of others are marked with their
 * names. A mark contains its characters, so that a copied selection is the stored text, and it isolates them, so that
 * they turn nothing around them.
 */
export function MarkedText({ text }: { readonly text: string }) {
  return splitHidden(text).map((piece, index) =>
    piece.kind === 'text' ? (
      piece.text
    ) : (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
        key={index}
        className={styles.mark}
        role="img"
        aria-label={piece.name}
        title={piece.name}
        data-sign={piece.sign}
      >
        <span className={styles.characters}>{piece.text}</span>
      </span>
    ),
  )
}
