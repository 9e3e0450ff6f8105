import { type Provenance, ProvenanceInput } from '../../contract/provenance.ts'
import { type Define, MAX_ID, type Run } from './command.ts'
import { interruptibleCall } from './interruptible.ts'
import type { Answer } from './output.ts'
import { integer } from './parse.ts'
import { type MemoryOptions, withMemory } from './session.ts'
import { count, oneLine, percent } from './text.ts'

type ProvenanceOptions = MemoryOptions & { readonly from?: number; readonly to?: number; readonly limit?: number }

/** Adds the command provenance: the passages that support the sentences of a summary. */
export function addProvenanceCommand(define: Define, run: Run): void {
  run(
    define('provenance', 'what the sentences of a summary rest on, and what stands in no source')
      .argument('<id>', 'the summary')
      .option('--from <n>', 'only from this character of its text on', integer(0, MAX_ID))
      .option('--to <n>', 'only up to this character', integer(1, MAX_ID))
      .option('--limit <n>', 'passages a sentence', integer(1, 20)),
    (summaryId: string, { from, to, limit, ...options }: ProvenanceOptions): Promise<Answer> =>
      withMemory(
        options,
        async (lcm): Promise<Answer> => {
          const input = ProvenanceInput.parse({ summaryId, from, to, limit })
          const found = await interruptibleCall((signal) => lcm.provenance.find(input, signal))
          return { json: found, text: () => provenanceText(found) }
        },
        { readOnly: true },
      ),
  )
}

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
    `${count(counts.supported)} supported, ${count(counts.weak)} weakly, ${count(counts.none)} not at all; ${count(counts.invented)} details stand in no source (${count(searched.messagesRead)} messages read)`,
  ].join('\n')
}
