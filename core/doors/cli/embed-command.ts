import { EmbedInput, EmbedResult } from '#core/contract/vectors.ts'
import { plural } from '#core/text.ts'
import { defineCommand } from './command.ts'
import { interruptible } from './interruptible.ts'
import type { Answer } from './output.ts'
import { withMemory } from './session.ts'
import { count } from './text.ts'

/** Texts are turned into vectors by the model that LCM_EMBEDDINGS names. */
export const embed = defineCommand({
  name: 'embed',
  example: 'embed --max-texts 5000 --db lcm.db',
  memory: 'reads',
  fields: EmbedInput,
  prints: EmbedResult,
  run: (input, given) =>
    withMemory(
      given,
      async (lcm): Promise<Answer> => {
        const result = await interruptible((signal) => lcm.meaning.make(input, signal))
        return { json: result, text: () => resultText(result) }
      },
      { readOnly: true },
    ),
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
