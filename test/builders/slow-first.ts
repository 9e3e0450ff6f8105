import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take long. A run without figures of an earlier one begins with the largest files, and a small one that takes
 * long would be the last: every other worker would wait for it.
 */
const SLOW = [
  'test/doors/cli/recorded-documents.test.ts',
  'test/systems/lossless-versions.test.ts',
  'test/map/killed.process.test.ts',
  'test/recorded/recorded-answers.whole.test.ts',
  'test/doctor/repair/crash.process.test.ts',
  'test/doctor/rules/generated-faults.whole.test.ts',
  'test/doctor/rules/lossless-faults.test.ts',
  'test/security/damaged-values.test.ts',
  'test/security/stops.test.ts',
  'test/structure/imports.process.test.ts',
  'test/trace/losses.test.ts',
  'test/trace/planted-facts.test.ts',
  'test/doctor/working-copy/killed-copy.process.test.ts',
].map((file) => resolve(import.meta.dirname, '../..', file))

/** Begins each project with the slow files of it. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = SLOW.filter((file) => !existsSync(file))
    if (gone.length > 0) throw new Error(`These test files are listed as slow, but do not exist: ${gone.join(', ')}`)
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...projects.values()].flatMap((ofProject) => {
      const slow = ofProject.filter(({ moduleId }) => SLOW.includes(resolve(moduleId)))
      return [...slow, ...ofProject.filter((file) => !slow.includes(file))]
    })
  }
}
