import { EmbedInput, EmbedResult } from '#core/contract/vectors.ts'
import { plural } from '#core/text.ts'
import { defineQuestion } from '../command.ts'
import { count } from '../output/text.ts'

/** Texts are turned into vectors by the model that LCM_EMBEDDINGS names. */
export const embed = defineQuestion({
  name: 'embed',
  example: 'embed --max-texts 5000 --db lcm.db',
  fields: EmbedInput,
  prints: EmbedResult,
  work: (lcm, input, signal) => lcm.meaning.make(input, signal),
  text: resultText,
})

function resultText({ outcome, model, sent, refused, texts, totalTexts }: EmbedResult): string {
  if (outcome === 'busy') return 'Another process is making vectors. Try again when it is done.'
  const done = `${count(texts)} of ${plural(totalTexts, 'text')} have vectors of ${model}`
  const now = `sent: ${plural(sent, 'piece')} of text${refused > 0 ? `, of which it refused ${count(refused)}` : ''}`
  switch (outcome) {
    case 'ready':
      return `${done}; ${now}.`
    case 'cap':
      return `${done}; ${now}, as many as one run may send. Run it again to go on.`
    case 'too_large':
      return `${done}; ${now}. There is no more room for vectors: remove the folder search-vectors in the cache to begin anew.`
  }
}
