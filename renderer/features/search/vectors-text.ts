import type { VectorStatus } from '#core/contract/vectors.ts'
import { formatCount } from '#renderer/ui/texts/format.ts'

/** What a question finds now, and what would be sent to whom. How many texts need no vector is known afterwards. */
export function vectorsText({ provider, model, texts, totalTexts }: VectorStatus): string {
  const missing = formatCount(totalTexts - texts)
  return texts === 0
    ? `For questions in other words, at most ${missing} texts are sent to ${provider} (${model}).`
    : `${formatCount(texts)} texts have vectors; at most ${missing} others are found by their words only.`
}
