import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CONNECTED_AGENTS } from '#core/host/connections/agents.ts'
import { Connections } from '#core/host/connections/connections.ts'
import { heard } from '#core/host/heard.ts'
import { HookFolder } from '#core/host/hooks/hook-folder.ts'
import { shellWord } from '#core/platform.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const NOW = Date.UTC(2026, 10, 29)
const project = join(import.meta.dirname, '../../..')

/** A computer with the agents, and an installation of this version. */
function computer(version = '1.0.0') {
  const home = join(temporaryFolder(), 'home of Jo & "Ann"')
  const root = join(home, 'program')
  mkdirSync(join(root, 'out/main'), { recursive: true })
  mkdirSync(join(root, 'resources'))
  writeFileSync(join(root, 'out/main/hook.cjs'), '')
  for (const folder of ['.claude', '.codex', '.config/opencode', '.pi/agent', '.openclaw', '.hermes'])
    mkdirSync(join(home, folder), { recursive: true })
  const dataDir = join(home, 'data')
  const where = { home, env: {}, cwd: home }
  // The adapters of this project, read where they are.
  mkdirSync(join(root, 'resources/adapters'), { recursive: true })
  copyFolder(join(project, 'resources/adapters'), join(root, 'resources/adapters'))
  const installed = { root, node: process.execPath, version, dataDir }
  return {
    home,
    dataDir,
    memory: join(home, 'lcm.db'),
    connections: new Connections(where, installed),
    where,
    installed,
  }
}

function copyFolder(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      mkdirSync(target, { recursive: true })
      copyFolder(source, target)
    } else writeFileSync(target, readFileSync(source))
  }
}

/** Every file below a folder with its text, but for what is ours. */
function filesIn(folder: string, skip = /program|data|lcm\.db/): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !skip.test(path.slice(folder.length)))
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]))
}

const HOOKS_OF_OTHERS = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'notify' }] }] } }

describe.each([
  ['claude-code', '.claude/settings.json'],
  ['codex', '.codex/hooks.json'],
  ['openclaw', '.openclaw/openclaw.json'],
] as const)('connecting %s by its settings', (agent, settings) => {
  it('gives every file back byte for byte, whatever stood there', async () => {
    for (const before of [
      null,
      '{}',
      '{"model":"opus","hooks":{}}',
      JSON.stringify(HOOKS_OF_OTHERS),
      '\uFEFF{ "a": [1 ,2]}\r\n',
    ]) {
      const { home, connections, memory } = computer()
      if (before !== null) writeFileSync(join(home, settings), before)
      writeFileSync(join(home, '.codex/config.toml'), 'model = "x"\r\n[features]\nhooks = true')
      const was = filesIn(home)
      expect((await connections.connect(agent, memory, NOW)).length).toBeGreaterThan(0)
      expect(filesIn(home)).not.toEqual(was)
      expect(connections.planned(agent, memory)).toEqual([])
      connections.disconnect(agent)
      expect(filesIn(home)).toEqual(was)
      expect(connections.disconnecting(agent)).toEqual([])
    }
  })

  it('takes only what is ours out of a file that was changed since', async () => {
    const { home, connections, memory } = computer()
    writeFileSync(join(home, settings), JSON.stringify(HOOKS_OF_OTHERS))
    await connections.connect(agent, memory, NOW)
    const now = JSON.parse(readFileSync(join(home, settings), 'utf8'))
    writeFileSync(join(home, settings), JSON.stringify({ ...now, theme: 'dark' }))
    connections.disconnect(agent)
    expect(JSON.parse(readFileSync(join(home, settings), 'utf8'))).toEqual({ ...HOOKS_OF_OTHERS, theme: 'dark' })
  })

  it('gives back what stood there before the first of several installations', async () => {
    const { home, connections, memory, where, installed } = computer()
    const was = filesIn(home)
    await connections.connect(agent, memory, NOW)
    const later = new Connections(where, { ...installed, version: '2.0.0' })
    await later.connect(agent, join(home, 'other.db'), NOW + 1)
    later.disconnect(agent)
    expect(filesIn(home)).toEqual(was)
  })

  it('changes nothing where a file cannot be read as what it is, and says which agent it is of', async () => {
    const { home, connections, memory } = computer()
    writeFileSync(join(home, settings), '{"model": "opus",')
    const was = filesIn(home)
    await expect(connections.connect(agent, memory, NOW)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(filesIn(home)).toEqual(was)
    expect(connections.states().find((one) => one.agent === agent)).toMatchObject({ isConnected: false, memory: null })
  })

  it('refuses a computer without the agent and a copy without the built program', async () => {
    const { home, connections, memory, where, installed } = computer()
    const nowhere = new Connections({ ...where, home: join(home, 'nobody') }, installed)
    await expect(nowhere.connect(agent, memory, NOW)).rejects.toMatchObject({ code: 'file_missing' })
    const unbuilt = new Connections(where, { ...installed, root: join(home, 'unbuilt') })
    await expect(unbuilt.connect(agent, memory, NOW)).rejects.toMatchObject({ code: 'unsupported' })
    expect(connections.states().every(({ problems }) => problems.length === 0)).toBe(true)
  })

  it('says what is wrong: never heard of, settings changed, a newer program, failures', async () => {
    const { home, dataDir, connections, memory, where, installed } = computer()
    const state = (of = connections) => of.states().find((one) => one.agent === agent)
    expect(state()).toMatchObject({ isConnected: false, memory: null, command: `lcm install ${agent} --yes` })
    await connections.connect(agent, memory, NOW)
    writeFileSync(memory, '')
    expect(state()).toMatchObject({ isConnected: true, memory, lastHeardAtMs: null, command: null })
    expect(state()?.problems).toEqual([expect.stringContaining('has not been heard of')])
    new HookFolder(dataDir, memory).noteHeard(agent, 'Stop', NOW + 5)
    expect(state()).toMatchObject({ lastHeardAtMs: NOW + 5, lastEvent: 'Stop', problems: [] })
    new HookFolder(dataDir, memory).fail(agent, new Error('The disk is full.'), NOW + 6)
    expect(state()?.problems).toEqual(['The disk is full.'])
    const newer = new Connections(where, { ...installed, version: '2.0.0' })
    expect(state(newer)?.problems).toContainEqual(expect.stringContaining('connected by version 1.0.0'))
    const again = `lcm install ${agent} --db ${shellWord(memory)} --yes`
    expect(state(newer)?.command).toBe(again)
    writeFileSync(join(home, settings), '{}')
    expect(state()?.command).toBe(again)
    expect(state()?.problems).toContainEqual(expect.stringContaining('do not name LCM Inspector'))
    expect(state()?.isConnected).toBe(false)
  })
})

describe.each([
  ['opencode', '.config/opencode/plugins/lcm-inspector.js', 'plugin.js'],
  ['pi', '.pi/agent/extensions/lcm.js', 'extension.js'],
] as const)('connecting %s by a file that it loads', (agent, file, adapter) => {
  it('writes one file that names the adapter and the memory, and gives back byte for byte what stood there', async () => {
    for (const before of [null, '// mine\r\n']) {
      const { home, connections, memory, installed } = computer()
      mkdirSync(dirname(join(home, file)), { recursive: true })
      if (before !== null) writeFileSync(join(home, file), before)
      const was = filesIn(home)
      expect(await connections.connect(agent, memory, NOW)).toMatchObject([{ path: join(home, file), before }])
      const text = readFileSync(join(home, file), 'utf8')
      const [, address = ''] = /from ("[^"]+")/.exec(text) ?? []
      expect(fileURLToPath(JSON.parse(address))).toBe(join(installed.root, 'resources/adapters', agent, adapter))
      expect(text).toContain(JSON.stringify(memory))
      expect(connections.planned(agent, memory)).toEqual([])
      connections.disconnect(agent)
      expect(filesIn(home)).toEqual(was)
    }
  })

  it('removes the file also where somebody has changed it since, and leaves a file of somebody else alone', async () => {
    const { home, connections, memory } = computer()
    await connections.connect(agent, memory, NOW)
    writeFileSync(join(home, file), `${readFileSync(join(home, file), 'utf8')}// more\n`)
    connections.disconnect(agent)
    expect(existsSync(join(home, file))).toBe(false)
    await connections.connect(agent, memory, NOW)
    writeFileSync(join(home, file), '// of somebody else\n')
    expect(connections.states().find((one) => one.agent === agent)).toMatchObject({ isConnected: false })
    expect(connections.disconnecting(agent)).toEqual([])
  })

  it('is heard of when it stores messages, and what fails then is a problem', async () => {
    const { dataDir, connections, memory } = computer()
    await connections.connect(agent, memory, NOW)
    writeFileSync(memory, '')
    const state = () => connections.states().find((one) => one.agent === agent)
    expect(state()?.problems).toEqual([expect.stringContaining('has not been heard of')])
    const caller = { agent, memory, dataDir }
    expect(await heard(caller, 'ingest', async () => 3)).toBe(3)
    expect(state()).toMatchObject({ lastEvent: 'ingest', problems: [] })
    const failing = heard(caller, 'import', async () => Promise.reject(new Error('The disk is full.')))
    await expect(failing).rejects.toThrow('The disk is full.')
    expect(state()?.problems).toEqual(['The disk is full.'])
  })
})

it('leaves no note of a program that is not connected by a command', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  await heard({ agent: 'my own agent', memory: 'lcm.db', dataDir }, 'ingest', async () => null)
  expect(existsSync(dataDir)).toBe(false)
})

it('keeps the plugins of OpenClaw that others load and allow, and chooses ours as its context engine', async () => {
  const { home, connections, memory, installed } = computer()
  const file = join(home, '.openclaw/openclaw.json')
  const plugins = { load: { paths: ['/other'] }, allow: ['other'], slots: { memory: 'other' } }
  writeFileSync(file, JSON.stringify({ plugins }))
  await connections.connect('openclaw', memory, NOW)
  const ours = join(installed.root, 'resources/adapters/openclaw')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    plugins: {
      load: { paths: ['/other', ours] },
      allow: ['other', 'lcm-inspector'],
      slots: { memory: 'other', contextEngine: 'lcm-inspector' },
      entries: { 'lcm-inspector': { enabled: true, config: { memory } } },
    },
  })
  // OpenClaw notes in its settings which version wrote them last.
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), meta: { version: '1' } }))
  connections.disconnect('openclaw')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ plugins, meta: { version: '1' } })
})

it('gives Hermes a plugin that knows the memory, and takes it away again', async () => {
  const { home, connections, memory, installed } = computer()
  const was = filesIn(home)
  await connections.connect('hermes', memory, NOW)
  const plugin = join(home, '.hermes/plugins/lcm_inspector')
  expect(readdirSync(plugin).sort()).toEqual(['__init__.py', 'installed.json', 'plugin.yaml'])
  const given = JSON.parse(readFileSync(join(plugin, 'installed.json'), 'utf8'))
  expect(given).toEqual({ node: installed.node, cli: join(installed.root, 'bin/lcm.mjs'), memory })
  expect(connections.planned('hermes', memory)).toEqual([])
  connections.disconnect('hermes')
  expect(filesIn(home)).toEqual(was)
})

it('leaves the context engine of OpenClaw alone where somebody has chosen another one since', async () => {
  const { home, connections, memory } = computer()
  const file = join(home, '.openclaw/openclaw.json')
  await connections.connect('openclaw', memory, NOW)
  const now = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ plugins: { ...now.plugins, slots: { contextEngine: 'legacy' } } }))
  connections.disconnect('openclaw')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ plugins: { slots: { contextEngine: 'legacy' } } })
})

it('refuses a Codex that has another server of the same name, because its settings would be invalid', async () => {
  const { home, connections, memory } = computer()
  writeFileSync(join(home, '.codex/config.toml'), '[mcp_servers.lcm]\ncommand = "other"\n')
  await expect(connections.connect('codex', memory, NOW)).rejects.toMatchObject({ code: 'invalid_argument' })
  expect(existsSync(join(home, '.codex/hooks.json'))).toBe(false)
})

it.each(CONNECTED_AGENTS)(
  'takes %s back after its installation was removed, also from files that were changed since',
  async (agent) => {
    for (const isChanged of [false, true]) {
      const { home, connections, memory, where, installed } = computer()
      const was = filesIn(home)
      await connections.connect(agent, memory, NOW)
      // Another installation is there meanwhile.
      const root = join(home, 'another program')
      renameSync(installed.root, root)
      if (isChanged)
        for (const path of Object.keys(filesIn(home)))
          if (path.endsWith('.json')) writeFileSync(path, `${readFileSync(path, 'utf8')}\n`)
      new Connections(where, { ...installed, root }).disconnect(agent)
      expect(filesIn(home)).toEqual(was)
    }
  },
)

it('replaces the hooks that an earlier build wrote for Codex, and leaves one of somebody else with a similar name', async () => {
  const { home, connections, memory } = computer()
  const path = join(home, '.codex/hooks.json')
  const hookOf = (command: string) => ({ hooks: [{ type: 'command', command }] })
  const [earlier, ofOthers] = [hookOf('node /opt/lcm/bin/lcm-hook.mjs codex --db lcm.db'), hookOf('my-lcm-hook.sh')]
  writeFileSync(path, JSON.stringify({ hooks: { Stop: [earlier, ofOthers] } }))
  await connections.connect('codex', memory, NOW)
  const { Stop } = JSON.parse(readFileSync(path, 'utf8')).hooks
  expect(Stop).toHaveLength(2)
  expect(Stop[0]).toEqual(ofOthers)
  expect(JSON.stringify(Stop[1])).toContain('lcm-hook.cjs')
})
