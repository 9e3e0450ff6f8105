/** The signals that ask a program to end: Ctrl-C, what a service manager sends, and the end of its terminal. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type StopSignal = (typeof STOP_SIGNALS)[number]

/** Calls the listener for each such signal, which then ends nothing by itself, until the returned function is called. */
export function onStopSignal(listener: (signal: StopSignal) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener as NodeJS.SignalsListener)
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener as NodeJS.SignalsListener)
  }
}

/** Waits for the first such signal. A second one ends the process at once. */
export function firstStopSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    const removeListener = onStopSignal((signal) => {
      removeListener()
      resolve(signal)
    })
  })
}
