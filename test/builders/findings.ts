import { type OpenLcmOptions, openLcm } from '#core/lcm.ts'

/** Returns the checks that found an error or a warning in a memory. A sound memory has none. */
export async function findings(path: string, options: OpenLcmOptions = {} as OpenLcmOptions): Promise<string[]> {
  const lcm = await openLcm(path, options)
  try {
    const job = lcm.integrity.run(undefined, new AbortController().signal)
    for (;;) {
      const step = await job.next()
      if (!step.done) continue
      const found = step.value.checks.filter(({ count, severity }) => count > 0 && severity !== 'info')
      return found.map(({ id, count }) => `${id}: ${count}`)
    }
  } finally {
    lcm.close()
  }
}
