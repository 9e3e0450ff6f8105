import type { Browser } from '@playwright/test'

/** One task of the thread that draws a page. */
type PageTask = {
  readonly wallMs: number
  /** Processor time, which other work of the computer does not change much. */
  readonly cpuMs: number
}

type TraceEvent = {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of the wall clock. */
  readonly dur?: number
  /** Microseconds of the processor. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** Notes the tasks of all pages of a browser until the returned function is called, which returns them. */
export async function notePageTasks(browser: Browser): Promise<() => Promise<readonly PageTask[]>> {
  await browser.startTracing(undefined, { categories: ['-*', 'toplevel', '__metadata'] })
  return async () => {
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
    const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
    const drawing = new Set(
      traceEvents
        .filter((event) => event.name === 'thread_name' && event.args?.name === 'CrRendererMain')
        .map(threadOf),
    )
    return traceEvents
      .filter((event) => event.ph === 'X' && event.name.endsWith('RunTask') && drawing.has(threadOf(event)))
      .map(({ dur = 0, tdur = 0 }) => ({ wallMs: dur / 1000, cpuMs: tdur / 1000 }))
  }
}
