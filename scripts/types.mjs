// Checks the types of every folder that has a tsconfig.
import { existsSync } from 'node:fs'
import { bootstrap } from './bootstrap.mjs'
import { inProject, main } from './project.mjs'
import { runChecks } from './run-checks.mjs'
import { typeCompiler } from './type-compiler.mjs'

const FOLDERS = ['core/contract', 'core', 'electron', 'renderer', 'resources', 'test']

await main(async () => {
  const checks = FOLDERS.filter((folder) => existsSync(inProject(folder, 'tsconfig.json'))).map((folder) => ({
    name: folder,
    // What did not change since the last run is not checked again.
    args: [
      ...[...typeCompiler, '-p', `${folder}/tsconfig.json`, '--noEmit', '--pretty', '--incremental'],
      ...['--tsBuildInfoFile', inProject('node_modules/.cache/types', `${folder.replace('/', '-')}.tsbuildinfo`)],
    ],
  }))
  await runChecks(await bootstrap(), checks)
})
