import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { packageFolder } from '#test/builders/built-program.ts'
import { peakMegabytes } from '../own-process.ts'

/** A first question to a file of an unusual shape. */
export type ShapeMeasure = { readonly cpuMs: number; readonly peakMegabytes: number }

/** What can be asked of the library. */
const QUESTIONS = {
  /** Of the message with the long text. */
  trace: `lcm.call('trace.fact', { id: 'msg_6' })`,
  /** Of the summary over all others. */
  loss: `lcm.call('trace.loss', { conversationId: 1, summaryId: 'sum_top' })`,
  stats: `lcm.call('memory.stats')`,
  search: `lcm.grep({ query: 'module13' })`,
  integrity: `lcm.integrity()`,
} as const

/** Space for new objects about as in the threads of the program: see `THREAD_LIMITS`. */
const HEAP = ['--max-semi-space-size=4', '--semi-space-growth-factor=1']

/**
 * Asks the installed library in a process of its own, whose memory is that of what people install: sources would add the
 * compiler that reads them.
 */
export function measureShape(path: string, question: keyof typeof QUESTIONS): ShapeMeasure {
  const library = pathToFileURL(`${packageFolder}/out/main/library.js`).href
  const program = `
    import { existsSync, readFileSync } from 'node:fs'
    const { openLcm } = await import(${JSON.stringify(library)})
    const lcm = await openLcm(${JSON.stringify(path)}, { readOnly: true })
    const used = process.cpuUsage()
    await ${QUESTIONS[question]}
    const { user, system } = process.cpuUsage(used)
    console.log(JSON.stringify({ cpuMs: (user + system) / 1000, peakMegabytes: (${peakMegabytes})() }))
    await lcm.close()`
  return JSON.parse(
    execFileSync(process.execPath, [...HEAP, '--input-type=module', '--eval', program], { encoding: 'utf8' }),
  ) as ShapeMeasure
}
