import { resolve } from 'node:path'
import { z } from 'zod'
import { MendedTranscript } from '#core/contract/mend.ts'
import { defineCommand } from '../command.ts'
import { count } from '../output/text.ts'

/** A copy of a transcript of which a resume loads everything. */
export const mend = defineCommand({
  name: 'mend',
  example: 'mend --from session.jsonl --to mended.jsonl',
  fields: z.object({
    from: z.string().meta({ description: 'the transcript; it is not changed', value: 'file' }),
    to: z.string().meta({ description: 'where the copy goes; nothing may be there', value: 'file' }),
  }),
  prints: MendedTranscript,
  run: async ({ from, to }) => {
    const { mendTranscript } = await import('#core/ingest/transcripts/mend-transcript.ts')
    const mended = await mendTranscript(resolve(from), resolve(to))
    return { json: mended, text: () => mendedText(mended) }
  },
})

/** At most this many lines are named. `--json` names all. */
const NAMED = 20

const mendedText = ({ to, lines }: MendedTranscript): string =>
  [
    `${to}: a copy in which ${lines.length === 1 ? 'one line differs' : `${count(lines.length)} lines differ`}.`,
    ...lines.slice(0, NAMED).map(({ line, hangsOn }) => `line ${line} hangs on line ${hangsOn}`),
    ...(lines.length > NAMED ? [`… and ${count(lines.length - NAMED)} more`] : []),
    'Close the session, keep the original elsewhere, and put the copy in its place under the same name to resume it.',
  ].join('\n')
