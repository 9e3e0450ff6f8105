import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inProject } from '#scripts/project.mjs'
import { agents } from '#test/real-agents/agents.ts'
import { startModelServer } from '#test/real-agents/model-server.ts'
import { Sandbox } from '#test/real-agents/sandbox.ts'
import { hookedPrograms, tryHooks } from './hooks/try-hooks.ts'
import { script, tryPi } from './pi/try-pi.ts'

/*
 * Whether agents that are connected lose nothing, and what their models are sent: `npm run test:hosts -- [PROGRAM …]`.
 * Each is installed from npm into a temporary folder and asked by a script, with a scripted model.
 */

/** The version that the adapter was written for. */
const PI = '1.6.0'

async function tryWithPi(wanted: string): Promise<boolean> {
  const agent = agents.find(({ format }) => format === 'pi')
  if (!agent) throw new Error('Pi is not among the agents')
  const folder = mkdtempSync(join(tmpdir(), 'lcm-hosts-'))
  const server = await startModelServer(script)
  try {
    const version = await new Sandbox(folder, agent).install(wanted)
    const program = join(folder, 'node_modules', agent.package, 'dist/cli.js')
    const adapter = inProject('resources/adapters/pi/extension.js')
    const findings = await tryPi({ program, folder, adapter, server })
    for (const { what, found, isGood } of findings)
      process.stdout.write(`${isGood ? 'ok    ' : 'FAILED'} Pi ${version}: ${what}: ${found}\n`)
    return findings.every((finding) => finding.isGood)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const given = process.argv.slice(2)
for (const one of given.length > 0 ? given : ['pi', ...hookedPrograms]) {
  const [program = '', version] = one.split('@')
  process.stderr.write(`${program} …\n`)
  const isGood = await (program === 'pi' ? tryWithPi(version ?? PI) : tryHooks(program, version))
  if (!isGood) process.exitCode = 1
}
