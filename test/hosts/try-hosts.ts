import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import installBuild, { packageFolder } from '#test/builders/built-program.ts'
import { type InputTokens, type ModelServer, startModelServer } from '#test/real-agents/model-server.ts'
import { NotRun, Sandbox } from '#test/real-agents/sandbox.ts'
import { tokensOfFacts } from './facts.ts'
import type { Finding } from './finding.ts'
import { agentOf, hookedHost, hookedPrograms } from './hooks/hooked-hosts.ts'
import { script as hookScript, tryHooks } from './hooks/try-hooks.ts'
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
  pi: {
    format: 'pi',
    version: '1.6.0',
    program: 'dist/cli.js',
    script: piScript,
    attempt: tryPi,
    inputTokensOf: tokensOfFacts,
  },
  opencode: {
    format: 'opencode',
    version: '1.18.33',
    program: '',
    script: openCodeScript,
    attempt: tryOpenCode,
    inputTokensOf: tokensOfFacts,
  },
  openclaw: {
    format: 'openclaw',
    version: '2026.9.6',
    program: 'openclaw.mjs',
    script: openClawScript,
    attempt: tryOpenClaw,
    inputTokensOf: charsBy4,
  },
} as const

type Attempt = { readonly program: string; readonly folder: string; readonly server: ModelServer }

/** What is tried of a program, or null for one that is not known. */
function triedOf(name: string) {
  const host = hookedHost(name)
  if (host !== undefined) {
    const { format } = host
    const attempt = ({ folder, server }: Attempt): AsyncGenerator<Finding> => tryHooks({ host, folder, server })
    return { format, version: 'latest', script: hookScript, inputTokensOf: undefined, attempt }
  }
  if (!isExtended(name)) return null
  const { program: inside, attempt, ...tried } = extended[name]
  return {
    ...tried,
    attempt: ({ program, folder, server }: Attempt): AsyncGenerator<Finding> => {
      const { package: installed } = agentOf(tried.format)
      const inner = inside === '' ? program : join(folder, 'node_modules', installed, inside)
      return attempt({
        program: inner,
        folder,
        adapter: join(packageFolder, 'resources/adapters', name, 'extension.js'),
        server,
      })
    },
  }
}

async function tryHost(name: string, wanted: string | undefined): Promise<boolean> {
  const tried = triedOf(name)
  if (tried === null) throw new Error(`${name} is no agent that is tried.`)
  const agent = agentOf(tried.format)
  const folder = mkdtempSync(join(tmpdir(), 'lcm-hosts-'))
  const server = await startModelServer(tried.script, tried.inputTokensOf)
  let isGood = true
  try {
    const version = await new Sandbox(folder, agent).install(wanted ?? tried.version)
    const program = join(folder, 'node_modules', '.bin', agent.program)
    for await (const { what, found, isGood: isFine } of tried.attempt({ program, folder, server })) {
      process.stdout.write(`${isFine ? 'ok    ' : 'FAILED'} ${name} ${version}: ${what}: ${found}\n`)
      isGood &&= isFine
    }
  } catch (error) {
    if (!(error instanceof NotRun)) throw error
    process.stdout.write(`FAILED ${name} cannot be run: ${error.message}\n`)
    isGood = false
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return isGood
}

const isExtended = (name: string): name is keyof typeof extended => Object.hasOwn(extended, name)

await installBuild()
const given = process.argv.slice(2)
for (const one of given.length > 0 ? given : [...Object.keys(extended), ...hookedPrograms]) {
  const [program = '', version] = one.split('@')
  process.stderr.write(`${program} …\n`)
  if (!(await tryHost(program, version))) process.exitCode = 1
}
