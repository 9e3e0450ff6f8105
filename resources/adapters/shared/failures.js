/**
 * @param {unknown} error
 * @returns {string | undefined}
 */
export const codeOf = (error) => /** @type {{ code?: string } | null} */ (error)?.code

/**
 * Does something, or returns undefined where it fails with one of these codes.
 * @template T
 * @param {readonly string[]} codes
 * @param {() => Promise<T>} work
 * @returns {Promise<T | undefined>}
 */
export async function unless(codes, work) {
  try {
    return await work()
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

/**
 * Returns a function that does something, and returns undefined where it fails. Each failure is told once, so that the
 * host goes on as it is. What the person stopped is none.
 * @template {unknown[]} Where
 * @param {string} host
 * @param {(text: string, ...where: Where) => void} tell throws where nothing can be said now
 * @returns {<T>(work: () => Promise<T>, ...where: Where) => Promise<T | undefined>}
 */
export function telling(host, tell) {
  const told = new Set(['cancelled'])
  return async (work, ...where) => {
    try {
      return await work()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const key = codeOf(error) ?? message
      if (told.has(key)) return undefined
      try {
        tell(`LCM memory: ${message.replace(/\.$/, '')}. ${host} goes on without it.`, ...where)
        told.add(key)
      } catch {
        // It is told when it happens again.
      }
      return undefined
    }
  }
}
