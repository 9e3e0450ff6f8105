import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { inParallel, type Outcome, Tally } from './cases.ts'
import type { MutationLine } from './mutated-files.ts'

/** A process that says nothing for so long hangs. */
const HANGS_MS = 60_000
/** So many cases share a process. */
const TOGETHER = 500

/**
 * Opens mutated files of every system, and imports mutated transcripts of every format. Each gives an answer or a typed
 * error in time, and stays as it is.
 * @param program the program `mutated-files.ts`, as a path that Node runs
 */
export async function tryMutations(
  { mutations, seed, from = 0 }: { readonly mutations: number; readonly seed: number; readonly from?: number },
  program: string,
  say: (line: string) => void,
): Promise<Outcome> {
  const tally = new Tally('mutations', say)
  const end = from + mutations
  await inParallel(Math.ceil(mutations / TOGETHER), async (batch) => {
    const last = Math.min(end, from + (batch + 1) * TOGETHER)
    for (let next = from + batch * TOGETHER; next < last; ) {
      const done = await runSome(program, [seed, next, last], (name, faults) => tally.add(name, faults))
      next += done
    }
  })
  return tally.outcome()
}

/** Runs cases in a process of its own until it ends or hangs. Returns how many it began. */
async function runSome(
  program: string,
  args: readonly number[],
  add: (name: string, faults: readonly string[]) => void,
): Promise<number> {
  const child = spawn(process.execPath, [program, ...args.map(String)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let begun = 0
  let running: string | null = null
  let errors = ''
  let timer = setTimeout(() => child.kill('SIGKILL'), HANGS_MS)
  child.stderr.on('data', (data) => {
    errors = (errors + String(data)).slice(-2000)
  })
  createInterface({ input: child.stdout }).on('line', (text) => {
    clearTimeout(timer)
    timer = setTimeout(() => child.kill('SIGKILL'), HANGS_MS)
    const line = JSON.parse(text) as MutationLine
    if ('begins' in line) {
      begun += 1
      running = line.begins
    } else {
      running = null
      add(line.name, line.faults)
    }
  })
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.once('close', (...ended) => done(ended)),
  )
  clearTimeout(timer)
  if (running !== null)
    add(running, [signal === 'SIGKILL' ? 'it hangs' : `the process ended with ${code ?? signal}: ${errors}`])
  else if (begun === 0) throw new Error(`no case began: ${errors}`)
  return begun
}
