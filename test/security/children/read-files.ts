import { createInterface } from 'node:readline'
import { LcmError } from '#core/errors.ts'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { runToEnd } from '#core/yielding.ts'
import { askEveryService } from '#test/systems/every-service.ts'

/** Reads each file named on standard input with every service, plans its repair, and says how that ended, a line each. */
const [cacheDir = ''] = process.argv.slice(2)

async function outcome(path: string): Promise<string> {
  try {
    using lcm = await openLcm(path, { cacheDir, settings: readSettings({}) })
    const report = await askEveryService(lcm)
    await runToEnd((await lcm.doctor()).repair.plan({}, new AbortController().signal, report))
    return 'read'
  } catch (error) {
    if (error instanceof LcmError) return `${error.code}: ${error.message}`
    return `internal: ${error instanceof Error ? error.stack : error}`
  }
}

for await (const path of createInterface({ input: process.stdin })) {
  const began = performance.now()
  const said = await outcome(path)
  process.stdout.write(`${JSON.stringify({ path, said, ms: Math.round(performance.now() - began) })}\n`)
}
