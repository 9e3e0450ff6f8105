import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds by the clock, and of the processor: other work on the machine hardly changes the second. */
export type Duration = { readonly wallMs: number; readonly cpuMs: number }

/** Milliseconds of several runs. */
export type Timing = {
  readonly p50: number
  readonly p95: number
  readonly max: number
  readonly cpuP50: number
  readonly cpuP95: number
  readonly runs: number
}

/** How long the action takes, on all threads of this process. */
export async function timed(action: () => unknown): Promise<Duration> {
  const startedMs = performance.now()
  const used = process.cpuUsage()
  await action()
  const { user, system } = process.cpuUsage(used)
  return { wallMs: performance.now() - startedMs, cpuMs: (user + system) / 1000 }
}

/** Runs an action so often, with a pause before each. */
export async function repeat(times: number, action: (round: number) => unknown, pauseMs = 0): Promise<Timing> {
  const runs: Duration[] = []
  for (let round = 0; round < times; round += 1) {
    if (pauseMs > 0) await pause(pauseMs)
    runs.push(await timed(() => action(round)))
  }
  return timingOf(runs)
}

function timingOf(runs: readonly Duration[]): Timing {
  const wall = runs.map(({ wallMs }) => wallMs).sort((a, b) => a - b)
  const cpu = runs.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b)
  return {
    p50: at(wall, 0.5),
    p95: at(wall, 0.95),
    max: at(wall, 1),
    cpuP50: at(cpu, 0.5),
    cpuP95: at(cpu, 0.95),
    runs: runs.length,
  }
}

/** Does two things for each of some questions, in turn, each first every other time. */
export async function inTurn<T>(
  asked: readonly T[],
  ...both: readonly [(of: T) => unknown, (of: T) => unknown]
): Promise<[Timing, Timing]> {
  const runs: [Duration[], Duration[]] = [[], []]
  for (const [round, of] of asked.entries())
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      runs[which].push(await timed(() => both[which](of)))
  return [timingOf(runs[0]), timingOf(runs[1])]
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0

export const megabytes = (bytes: number): number => bytes / 1_000_000
