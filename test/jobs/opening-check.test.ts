import { describe, expect, it } from 'vitest'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { Job } from '#core/contract/job.ts'
import type { JobRequest, Jobs } from '#core/jobs/jobs.ts'
import { OpeningCheck } from '#core/jobs/opening-check.ts'
import type { Lcm } from '#core/lcm.ts'

const memory = (bytes: number, checkOnOpening = true) =>
  ({ info: { path: '/memory.db', bytes }, settings: { checkOnOpening } }) as Lcm

/** Jobs that only write down what is started. */
function noting(running: readonly Job['kind'][] = []) {
  const started: JobRequest['spec'][] = []
  const jobs = {
    list: () => running.map((kind) => ({ kind, state: 'running' })),
    start: ({ spec }: JobRequest) => started.push(spec),
  }
  return { check: new OpeningCheck(jobs as unknown as Jobs), started }
}

const look = (check: OpeningCheck, lcm: Lcm, report: IntegrityReport | null = null) => {
  for (let looks = 0; looks < 10; looks += 1) check.look(lcm, report)
}

describe('the check on opening', () => {
  it('reads a small file completely and only the rows of a large one, once', () => {
    const small = noting()
    look(small.check, memory(1000))
    expect(small.started).toEqual([{ kind: 'integrity' }])
    const large = noting()
    look(large.check, memory(1_000_000_000))
    expect(large.started).toEqual([{ kind: 'integrity', phases: 'structure' }])
  })

  it('starts nothing before the window was shown, and nothing when the settings forbid it', () => {
    const { check, started } = noting()
    check.look(memory(1000), null)
    expect(started).toEqual([])
    const forbidden = noting()
    look(forbidden.check, memory(1000, false))
    expect(forbidden.started).toEqual([])
  })

  it('waits for a job that changes the file, and does not repeat a check that somebody asked for', () => {
    const busy = noting(['repair'])
    look(busy.check, memory(1000))
    expect(busy.started).toEqual([])
    const checked = noting()
    look(checked.check, memory(1000), {} as IntegrityReport)
    expect(checked.started).toEqual([])
  })
})
