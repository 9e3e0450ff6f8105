import { ExplorationReport, ExploreInput } from '#core/contract/file.ts'
import { plural } from '#core/text.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import type { Answer } from '../output/output.ts'
import { count, oneLine } from '../output/text.ts'
import { withMemory } from '../session.ts'

/** Large texts are described by a model. */
export const explore = defineCommand({
  name: 'explore',
  example: 'explore --summarizer cheap --db lcm.db',
  memory: 'changes',
  fields: ExploreInput,
  positional: ['ids'],
  prints: ExplorationReport,
  run: ({ ids = [], ...input }, given) =>
    withMemory(given, async (lcm): Promise<Answer> => {
      const asked = ids.length === 0 ? input : { ...input, ids }
      const report = await interruptible((signal) => lcm.explore(asked, signal))
      return { json: report, text: () => reportLines(report).join('\n') }
    }),
})

function reportLines({ explored, kept, passedOver }: ExplorationReport): string[] {
  return [
    ...explored.map(({ id, model }) => `${id}  described by ${oneLine(model, 60)}`),
    ...kept.map(({ id, reason }) => `${id}  keeps the summary that was made without a model: ${oneLine(reason, 200)}`),
    `${plural(explored.length, 'file')} described, ${count(kept.length)} without an answer, ${count(passedOver)} passed over.`,
  ]
}
