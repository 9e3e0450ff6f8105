import { spawn } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { ended, environment, type Ran } from '../doors/cli/lcm.ts'

const root = join(import.meta.dirname, '../..')
const folder = temporaryFolder()

/** Makes the process believe that it runs on an older Node: what is tested is the decision, not the old Node. */
const asNode = (version: string): string[] => [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`,
]

const run = (args: readonly string[], cwd = folder): Promise<Ran> =>
  ended(spawn(process.execPath, args, { cwd, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] }))

describe('lcm in a checkout', () => {
  it.each(['18.20.8', '20.20.2', process.versions.node])(
    'starts the Node of the project when it is called on Node %s',
    async (version) => {
      copyFileSync(join(root, 'resources/sample.db'), join(folder, 'sample.db'))
      const args = ['stats', '--db', 'sample.db', '--json']
      const ran = await run([...asNode(version), join(root, 'bin/lcm.mjs'), ...args])
      expect([ran.code, ran.stderr]).toEqual([0, ''])
      expect(JSON.parse(ran.stdout)).toMatchObject({ conversations: 5 })
    },
  )

  it('keeps the exit code of the command, also under its other name', async () => {
    expect((await run([join(root, 'bin/lcm.mjs'), 'stats', '--db', 'gone.db'])).code).toBe(5)
    expect((await run([join(root, 'bin/lcm-inspector.mjs'), 'frobnicate', '--help'])).code).toBe(2)
  })
})

describe('lcm in an installed copy', () => {
  const installed = join(folder, 'installed')
  beforeAll(() => {
    cpSync(join(root, 'bin'), join(installed, 'bin'), { recursive: true })
    writeFileSync(join(installed, 'package.json'), '{"type":"module"}')
  })

  it.each(['lcm.mjs', 'lcm-inspector.mjs'])('says with %s which Node it needs on an older one', async (name) => {
    const ran = await run([...asNode('20.20.2'), join(installed, 'bin', name), 'stats', '--json'])
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/^lcm: unsupported: This is Node 20\.20\.2, and LCM Inspector needs Node 24 .*\n$/)
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'unsupported', retryable: false } })
  })

  it('says that it is not built when the program is missing, and runs it otherwise', async () => {
    expect(await run([join(installed, 'bin/lcm.mjs'), 'stats'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^lcm: unsupported: This copy is not built .*\n$/),
    })
    mkdirSync(join(installed, 'out/main'), { recursive: true })
    writeFileSync(join(installed, 'out/main/cli.js'), 'console.log(process.argv.slice(2).join(" "))')
    expect(await run([join(installed, 'bin/lcm.mjs'), 'stats', '--json'])).toMatchObject({
      code: 0,
      stdout: 'stats --json\n',
    })
  })
})
