import { z } from 'zod'
import { ActivityReader } from '#core/activity/activity-reader.ts'
import { userFolders } from '#core/folders.ts'
import type { Lcm } from '#core/lcm.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { documentAnswer, documentFile } from '../output/output-file.ts'
import { withMemory } from '../session.ts'

/** Figures of a memory for Prometheus. */
export const metrics = defineCommand({
  name: 'metrics',
  example: 'metrics --db sample.db',
  memory: 'reads',
  fields: z.object({
    integrity: z
      .boolean()
      .default(true)
      .describe('leave the checks out, which read the whole file and count as a scan'),
    ...documentFile,
  }),
  run: ({ integrity, ...file }, given) =>
    withMemory(
      given,
      async (lcm) => {
        const text = await metricsOf(lcm, integrity)
        const answer = { json: { format: 'prometheus', text }, text: () => text.trimEnd() }
        return documentAnswer({ answer, ...file, source: lcm.info.path })
      },
      { readOnly: true },
    ),
})

async function metricsOf(lcm: Lcm, isChecked: boolean): Promise<string> {
  const { integrity } = await lcm.doctor()
  const report = isChecked ? await interruptible((signal) => integrity.run(undefined, signal)) : null
  const checks = report?.checks.filter(({ severity }) => severity !== 'info') ?? []
  const activity = new ActivityReader(userFolders(process.env).log, lcm.info.path)
  return activity.prometheus({ conversations: lcm.stats.conversations(), checks }, 'this')
}
