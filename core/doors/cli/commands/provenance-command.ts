import { Provenance, ProvenanceInput } from '#core/contract/provenance.ts'
import { plural } from '#core/text.ts'
import { defineQuestion } from '../command.ts'
import { count, oneLine, percent } from '../output/text.ts'

/** The passages that support the sentences of a summary. */
export const provenance = defineQuestion({
  name: 'provenance',
  example: 'provenance sum_e6e4df8f3eddb5d6 --db sample.db',
  fields: ProvenanceInput,
  positional: ['summaryId'],
  prints: Provenance,
  work: (lcm, input, signal) => lcm.provenance.find(input, signal),
  text: provenanceText,
})

const MARK = { supported: '✓', weak: '~', none: '✗' } as const

function provenanceText({ claims, counts, notes, searched }: Provenance): string {
  return [
    ...claims.flatMap((claim) => [
      `${MARK[claim.support]} ${oneLine(claim.text, 200)}`,
      ...claim.passages
        .slice(0, 2)
        .map((passage) => `    ${passage.id} ${percent(passage.score)}  ${oneLine(passage.excerpt, 140)}`),
      ...(claim.support === 'supported' ? [] : [`    ${oneLine(claim.why, 300)}`]),
    ]),
    ...notes.map((note) => `note: ${note}`),
    `${count(counts.supported)} supported, ${count(counts.weak)} weakly, ${count(counts.none)} not at all; in no source: ${plural(counts.invented, 'detail')} (${plural(searched.messagesRead, 'message')} read)`,
  ].join('\n')
}
