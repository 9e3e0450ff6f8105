import { stringify } from 'yaml'
import type { Job, JobProgress } from '#core/contract/job.ts'
import type { Procedure } from '#core/contract/procedures.ts'
import { Core } from '#core/core.ts'
import { LcmError } from '#core/errors.ts'
import { Machine } from '#core/machine/machine.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { procedureCaller } from '../procedures.ts'
import { executeHere } from '../run-job.ts'
import { onStopSignal } from '../stop-signals.ts'
import type { CommandContext } from './command.ts'
import { interruptible } from './interruptible.ts'
import { toCliJson } from './output/cli-json.ts'
import { type Answer, EXIT } from './output/output.ts'

/**
 * Calls a procedure on a core of this process. A procedure that starts a job is answered when the job has ended, with
 * the job, because it would end with the process. A stream is printed while it comes, until it ends or Ctrl-C.
 */
export async function callProcedure(procedure: Procedure, input: object, given: CommandContext): Promise<Answer> {
  const core = coreOf(procedure, given)
  const call = procedureCaller(core)
  const ask = (signal: AbortSignal) => call(procedure.name, input, signal)
  if (procedure.isStream) return { pieces: (asJson) => piecesOf(core, ask, asJson) }
  try {
    const answer = await interruptible(ask)
    const jobId = startedJob(procedure, answer)
    if (jobId === null) return answerOf(answer)
    const job = await interruptible((signal) => jobEnd(core, jobId, signal))
    if (job.error) throw new LcmError(job.error.code, job.error.message, job.error.details)
    return {
      ...answerOf({ ...(answer as object), job }),
      exitCode: job.state === 'done' ? EXIT.done : EXIT.interrupted,
    }
  } finally {
    await core.close()
  }
}

function coreOf(
  { writes = false }: Procedure,
  { db, newer = false, installation: { resourcesDir } }: CommandContext,
): Core {
  const open = { readOnly: !writes, allowNewer: newer }
  return new Core({
    path: db ?? loadSettings(process.env).databasePath,
    open,
    machine: new Machine({ env: process.env, resourcesDir }),
    execute: executeHere(open),
    isRemembered: false,
  })
}

/** `jobs.cancel` and `jobs.list` name jobs, too, but start none. */
function startedJob({ writes }: Procedure, answer: unknown): string | null {
  const isJob = typeof answer === 'object' && answer !== null && 'jobId' in answer && writes
  return isJob ? String(answer.jobId) : null
}

/** Follows a job to its end. */
async function* jobEnd(core: Core, jobId: string, signal: AbortSignal): AsyncGenerator<JobProgress, Job> {
  let wake = (): void => undefined
  const unsubscribe = core.subscribe(() => wake())
  signal.addEventListener('abort', () => core.jobs.cancel(jobId), { once: true })
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const job = core.jobs.list().find((one) => one.jobId === jobId)
      if (job === undefined) throw new Error('a job that was started is listed')
      if (job.state !== 'running') return job
      if (job.progress) yield job.progress
      await changed
    }
  } finally {
    unsubscribe()
  }
}

const answerOf = (answer: unknown) => ({ json: answer ?? null, text: (): string => asText(answer) })

/** YAML is what people read most easily of what has no view of its own. */
const asText = (answer: unknown): string => stringify(toCliJson(answer ?? null), { lineWidth: 0 }).trimEnd()

async function* piecesOf(
  core: Core,
  ask: (signal: AbortSignal) => Promise<unknown>,
  asJson: boolean,
): AsyncGenerator<string> {
  const abort = new AbortController()
  const removeListener = onStopSignal(() => abort.abort())
  let separator = ''
  try {
    const steps = (await ask(abort.signal)) as AsyncIterable<unknown>
    if (asJson) yield '['
    for await (const step of steps) {
      yield asJson ? `${separator}\n${JSON.stringify(toCliJson(step))}` : `---\n${asText(step)}\n`
      separator = ','
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error
  } finally {
    removeListener()
    await core.close()
  }
  if (asJson) yield '\n]\n'
}
