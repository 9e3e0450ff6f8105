// `npm run test:field`: runs the tests of files that other systems really wrote, if there are such files.
import { mkdirSync } from 'node:fs'
import { bootstrap } from './bootstrap.mjs'
import { fieldData, isFieldData } from './field-data.mjs'
import { inProject, main } from './project.mjs'
import { runStep, vitestArgs } from './run-step.mjs'
import { vitestCounts } from './test-counts.mjs'

const report = inProject('test-results/field.json')

await main(async () => {
  const folder = fieldData()
  if (!isFieldData(folder)) {
    console.log(`test:field is left out: there are no files of other systems at ${folder} (LCM_FIELD_DATA names them).`)
    return
  }
  const node = await bootstrap()
  mkdirSync(inProject('test-results'), { recursive: true })
  const args = vitestArgs(report, '--config=vitest.field.config.ts', ...process.argv.slice(2))
  const code = await runStep(node, { args, report }, { LCM_FIELD_DATA: folder })
  const { passed, failed, skipped } = vitestCounts(report, code)
  if (code !== 0 || failed > 0) process.exitCode = 1
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
})
