import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuild } from '#scripts/ensure-build.mjs'
import { inProject } from '#scripts/project.mjs'
import { agents } from '#test/real-agents/agents.ts'
import { type InputTokens, startModelServer } from '#test/real-agents/model-server.ts'
import { Sandbox } from '#test/real-agents/sandbox.ts'
import { hookedPrograms, tryHooks } from './hooks/try-hooks.ts'
import { script as openClawScript, tryOpenClaw } from './openclaw/try-openclaw.ts'
import { script as openCodeScript, tryOpenCode } from './opencode/try-opencode.ts'
import { script as piScript, tryPi } from './pi/try-pi.ts'

/*
 * Whether agents that are connected lose nothing, and what their models are sent: `npm run test:hosts -- [PROGRAM …]`.
 * Each is installed from npm into a temporary folder and asked by a script, with a scripted model.
 */

/** OpenClaw sends many tools, and compacts by what a request really takes. */
const charsBy4: InputTokens = (_, body) => Math.ceil(body.length / 4)

/** What is tried of a host that runs an extension of ours, and the version for which that was written. */
const extended = {
  pi: { format: 'pi', version: '1.6.0', program: 'dist/cli.js', script: piScript, attempt: tryPi },
  opencode: { format: 'opencode', version: '1.18.33', program: '', script: openCodeScript, attempt: tryOpenCode },
  openclaw: {
    format: 'openclaw',
    version: '2026.9.6',
    program: 'openclaw.mjs',
    script: openClawScript,
    attempt: tryOpenClaw,
    inputTokensOf: charsBy4,
  },
} as const

async function tryExtended(name: keyof typeof extended, wanted: string | undefined): Promise<boolean> {
  await ensureBuild()
  const { format, version: tried, program: inside, script, attempt, ...more } = extended[name]
  const agent = agents.find((one) => one.format === format)
  if (!agent) throw new Error(`${format} is not among the agents`)
  const folder = mkdtempSync(join(tmpdir(), 'lcm-hosts-'))
  const server = await startModelServer(script, 'inputTokensOf' in more ? more.inputTokensOf : undefined)
  try {
    const version = await new Sandbox(folder, agent).install(wanted ?? tried)
    const modules = join(folder, 'node_modules')
    const program = inside === '' ? join(modules, '.bin', agent.program) : join(modules, agent.package, inside)
    const adapter = inProject('resources/adapters', name, 'extension.js')
    let isGood = true
    for await (const { what, found, isGood: isFine } of attempt({ program, folder, adapter, server })) {
      process.stdout.write(`${isFine ? 'ok    ' : 'FAILED'} ${name} ${version}: ${what}: ${found}\n`)
      isGood &&= isFine
    }
    return isGood
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const isExtended = (name: string): name is keyof typeof extended => Object.hasOwn(extended, name)

const given = process.argv.slice(2)
for (const one of given.length > 0 ? given : [...Object.keys(extended), ...hookedPrograms]) {
  const [program = '', version] = one.split('@')
  process.stderr.write(`${program} …\n`)
  const isGood = await (isExtended(program) ? tryExtended(program, version) : tryHooks(program, version))
  if (!isGood) process.exitCode = 1
}
