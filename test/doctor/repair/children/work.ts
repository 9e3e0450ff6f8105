// A process that repairs a memory, or dissolves and restores one, until it is killed. Says what it does.
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { runIn } from '../doctor.ts'

const [work = '', path = ''] = process.argv.slice(2)
const lcm = await openLcm(path, { settings: readSettings({}), owner: 'child' })
const say = (note: string): void => console.log(note)

if (work === 'repair') {
  const { steps } = await runIn(lcm, { kind: 'repair_plan' })
  const chosen = steps.filter((step) => step.risk !== 'manual').map(({ id }) => ({ id }))
  say('ready')
  await runIn(lcm, { kind: 'repair', steps: chosen, summarizer: 'deterministic' }, ({ note }) => say(note))
} else {
  say('ready')
  for (;;) {
    const id = lcm.read.value<string>(
      'SELECT summary_id FROM context_items WHERE summary_id IS NOT NULL ORDER BY ordinal LIMIT 1',
    )
    if (id === undefined) break
    const operation = { kind: 'dissolve', id } as const
    const { backup } = await runIn(lcm, { kind: 'surgery', operation }, ({ note }) => say(note))
    await runIn(lcm, { kind: 'undo', backup: backup?.path ?? '' }, ({ note }) => say(note))
  }
}
lcm.close()
