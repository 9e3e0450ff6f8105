import { type OpenLcmOptions, openLcm } from '#core/lcm.ts'
import { checkMemory } from '#test/builders/check-memory.ts'

/** Returns the checks that found an error or a warning in a memory. A sound memory has none. */
export async function findings(path: string, options: OpenLcmOptions = {} as OpenLcmOptions): Promise<string[]> {
  using lcm = await openLcm(path, options)
  const { checks } = await checkMemory(lcm)
  const found = checks.filter(({ count, severity }) => count > 0 && severity !== 'info')
  return found.map(({ id, count }) => `${id}: ${count}`)
}
