import { z } from 'zod'
import { ExplorationReport } from '../../contract/file.ts'
import { LcmError } from '../../errors.ts'
import type { Lcm } from '../../lcm.ts'
import { defineCommand } from './command.ts'
import { interruptible } from './interruptible.ts'
import type { Answer } from './output.ts'
import { withMemory } from './session.ts'
import { count, oneLine } from './text.ts'

type ExploreOptions = { readonly summarizer?: string | undefined; readonly again?: boolean | undefined }

/** Large texts are described by a model. */
export const explore = defineCommand({
  name: 'explore',
  does: 'have large files of Markdown, plain text and text of PDFs described by a model',
  example: 'explore --summarizer cheap --db lcm.db',
  fields: z.object({
    ids: z.array(z.string()).default([]).describe('default: every such file that no model has described yet'),
    summarizer: z.string().optional().describe('a configured provider, or chain (default: those of LCM_EXPLORERS)'),
    again: z.boolean().optional().describe('describe files again that a model has described before'),
  }),
  positional: ['ids'],
  prints: ExplorationReport,
  run: ({ ids, ...options }, { db, newer }) =>
    withMemory({ db, newer }, async (lcm): Promise<Answer> => {
      const report = await exploreNamed(lcm, ids, options)
      return { json: report, text: () => reportLines(report).join('\n') }
    }),
})

/** Has files described by the configured models. @throws LcmError invalid_argument, read_only_dialect, read_only_file */
export async function exploreNamed(
  lcm: Lcm,
  ids: readonly string[],
  { summarizer, again }: ExploreOptions,
): Promise<ExplorationReport> {
  const names = summarizer === undefined ? lcm.settings.explorers : [summarizer]
  const providers = lcm.summarizers.accessFor(...names)
  if (providers.length === 0) {
    throw new LcmError(
      'invalid_argument',
      'No model is named that could describe texts: name a configured provider with --summarizer, or with LCM_EXPLORERS (docs/models.md).',
    )
  }
  const { exploreFiles } = await import('../../agents/explore-files.ts')
  const db = lcm.requireWrite('store what a model says of files')
  const { fileReader: reader, clock } = lcm
  const request = { isAgain: again ?? false, ...(ids.length > 0 ? { ids } : {}) }
  return await interruptible((signal) => exploreFiles({ db, reader, providers, clock }, request, signal))
}

function reportLines({ explored, kept, passedOver }: ExplorationReport): string[] {
  return [
    ...explored.map(({ id, model }) => `${id}  described by ${oneLine(model, 60)}`),
    ...kept.map(({ id, reason }) => `${id}  keeps the summary that was made without a model: ${oneLine(reason, 200)}`),
    `${count(explored.length)} files described, ${count(kept.length)} without an answer, ${count(passedOver)} passed over.`,
  ]
}
