import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Surroundings } from '#core/systems/places.ts'
import { HOOKED_AGENTS } from '../hooks/hook-event.ts'
import { adapterFolder, adapterUrl, type Connected, changed, escaped, ourFiles, template } from './adapter-files.ts'
import { type FileChange, isSame, type JsonEntry, valueAt, withEntries, withoutEntries } from './file-change.ts'

/** Agents that start hooks, and those that load an extension of ours. */
export const CONNECTED_AGENTS = [...HOOKED_AGENTS, 'opencode', 'pi', 'openclaw', 'hermes'] as const
export type ConnectedAgent = (typeof CONNECTED_AGENTS)[number]

/** How an agent is connected: a row for each, and everything else follows. */
export type AgentConnection = {
  readonly agent: ConnectedAgent
  readonly label: string
  /** The folder in which the agent keeps its settings. */
  readonly folder: (where: Surroundings) => string
  /** What the files will be. @throws SyntaxError when a file of the agent cannot be read as what it is */
  readonly connect: (where: Surroundings, given: Connected) => FileChange[]
  /** What the files will be without us, as far as they hold us, wherever else they were changed. */
  readonly disconnect: (where: Surroundings, given: Connected) => FileChange[]
  /** What the user has to do in the agent, in a sentence. */
  readonly afterwards: string
}

const MARK = ['# lcm-inspector: begin', '# lcm-inspector: end'] as const

const claudeFolder = ({ home, env }: Surroundings): string => env.CLAUDE_CONFIG_DIR?.trim() || join(home, '.claude')
const codexFolder = ({ home, env }: Surroundings): string => env.CODEX_HOME?.trim() || join(home, '.codex')

/**
 * A plugin in a folder of ours, which the settings name as a marketplace and enable. Claude Code reads it from there.
 * https://code.claude.com/docs/en/plugin-marketplaces
 */
const claudeCode: AgentConnection = {
  agent: 'claude-code',
  label: 'Claude Code',
  folder: claudeFolder,
  connect: (where, given) => {
    const settings = join(claudeFolder(where), 'settings.json')
    return [...ourFiles(given, 'claude-code'), changed(settings, (before) => withEntries(before, claudeEntries(given)))]
  },
  disconnect: (where, given) => {
    const settings = join(claudeFolder(where), 'settings.json')
    return [
      ...ourFiles(given, 'claude-code').map(({ path }) => changed(path, () => null)),
      changed(settings, (before) => (before === null ? null : withoutEntries(before, claudeEntries(given)))),
    ]
  },
  afterwards: 'Sessions that run go on as they are; those that start now are kept.',
}

const claudeEntries = ({ dataDir }: Connected): JsonEntry[] => [
  {
    at: ['extraKnownMarketplaces', 'lcm-inspector'],
    value: { source: { source: 'directory', path: join(dataDir, 'adapters', 'claude-code') } },
  },
  { at: ['enabledPlugins', 'lcm@lcm-inspector'], value: true },
]

/** Hooks and a server of tools in two files. https://developers.openai.com/codex/hooks */
const codex: AgentConnection = {
  agent: 'codex',
  label: 'Codex',
  folder: codexFolder,
  connect: (where, given) => [
    changed(join(codexFolder(where), 'hooks.json'), (before) => withEntries(before, codexEntries(given, before))),
    changed(join(codexFolder(where), 'config.toml'), (before) => withBlock(before ?? '', given)),
  ],
  disconnect: (where, given) => [
    changed(join(codexFolder(where), 'hooks.json'), (before) => (before === null ? null : withoutHooks(before, given))),
    changed(join(codexFolder(where), 'config.toml'), (before) =>
      before === null ? null : withoutBlock(before) || null,
    ),
  ],
  afterwards:
    'Codex runs hooks only after you have trusted them: open it, type /hooks, and trust those of LCM Inspector.',
}

/** Hooks of others for the same event stay before ours. */
function codexEntries(given: Connected, before: string | null): JsonEntry[] {
  const events = valueAt(template(given, 'codex', 'hooks.json'), ['hooks']) as Record<string, unknown[]>
  return Object.entries(events).map(([event, ours]) => {
    const there = valueAt(before, ['hooks', event])
    return { at: ['hooks', event], value: [...(Array.isArray(there) ? there.filter(isOfOthers) : []), ...ours] }
  })
}

function withoutHooks(before: string, given: Connected): string | null {
  return codexEntries(given, before).reduce<string | null>((text, { at, value }) => {
    const others = (value as unknown[]).filter(isOfOthers)
    if (text === null) return null
    return others.length === 0 ? withoutEntries(text, [{ at, value }]) : withEntries(text, [{ at, value: others }])
  }, before)
}

/** Earlier builds wrote the program of the hooks as `lcm-hook.mjs`. */
const isOfOthers = (hook: unknown): boolean => !/bin[\\/]+lcm-hook\.[cm]js/.test(JSON.stringify(hook))

const codexBlock = (given: Connected): string => `\n${MARK[0]}\n${template(given, 'codex', 'config.toml')}${MARK[1]}\n`

/** @throws SyntaxError when the user has a server of this name, because a second one would make the file invalid */
function withBlock(before: string, given: Connected): string {
  const others = withoutBlock(before)
  if (/^\s*\[\s*mcp_servers\s*\.\s*["']?lcm["']?\s*[\].]/m.test(others))
    throw new SyntaxError('config.toml has a server "lcm" already: rename or remove it.')
  return `${others}${codexBlock(given)}`
}

/** Takes our lines out with the empty line that was put before them. */
function withoutBlock(text: string): string {
  const [from, to] = MARK.map((mark) => text.indexOf(mark)) as [number, number]
  if (from < 0 || to < from) return text
  const before = text.slice(0, from)
  return `${before.endsWith('\n') ? before.slice(0, -1) : before}${text.slice(to + MARK[1].length).replace(/^\r?\n/, '')}`
}

const openCodeFolder = ({ home, env }: Surroundings): string =>
  env.OPENCODE_CONFIG_DIR?.trim() || join(env.XDG_CONFIG_HOME?.trim() || join(home, '.config'), 'opencode')

/** A plugin in the folder from which opencode loads all of them. https://opencode.ai/docs/plugins */
const openCode = byOneFile({
  agent: 'opencode',
  label: 'opencode',
  folder: openCodeFolder,
  file: ['plugins', 'lcm-inspector.js'],
})

const piFolder = ({ home, env }: Surroundings): string => env.PI_CODING_AGENT_DIR?.trim() || join(home, '.pi', 'agent')

/** An extension in the folder from which Pi loads all of them (docs/extensions.md of its package). */
const pi = byOneFile({ agent: 'pi', label: 'Pi', folder: piFolder, file: ['extensions', 'lcm.js'] })

/** An agent that loads every file of a folder is connected by one that names the adapter in this installation. */
function byOneFile({
  agent,
  label,
  folder,
  file,
}: Pick<AgentConnection, 'agent' | 'label' | 'folder'> & { readonly file: readonly string[] }): AgentConnection {
  const path = (where: Surroundings): string => join(folder(where), ...file)
  return {
    ...{ agent, label, folder },
    connect: (where, given) => [changed(path(where), () => template(given, agent, 'installed.txt'))],
    disconnect: (where, given) => [
      changed(path(where), (before) => (before?.includes(escaped(adapterUrl(given, agent))) ? null : before)),
    ],
    afterwards: 'Sessions that run go on as they are; those that start now are kept.',
  }
}

const openClawSettings = ({ home, env }: Surroundings): string =>
  env.OPENCLAW_CONFIG_PATH?.trim() || join(env.OPENCLAW_STATE_DIR?.trim() || join(home, '.openclaw'), 'openclaw.json')

/**
 * A plugin that is loaded from this installation and chosen as the context engine, which is the one that decides what the
 * model sees. https://docs.openclaw.ai/concepts/context-engine
 */
const openClaw: AgentConnection = {
  agent: 'openclaw',
  label: 'OpenClaw',
  folder: (where) => dirname(openClawSettings(where)),
  connect: (where, given) => [
    changed(openClawSettings(where), (before) => withEntries(before, openClawEntries(given, before))),
  ],
  disconnect: (where, given) => [
    changed(openClawSettings(where), (before) => (before === null ? null : withoutOpenClaw(before, given))),
  ],
  afterwards: 'Start its gateway again, so that it loads the plugin.',
}

const OPENCLAW_ID = 'lcm-inspector'
const OPENCLAW_SLOT = ['plugins', 'slots', 'contextEngine']

/** Paths and allowed plugins of others stay. A list of allowed plugins is only added to: without one, all are allowed. */
function openClawEntries(given: Connected, before: string | null): JsonEntry[] {
  const { root, node, memory } = given
  const lists = [
    { at: ['plugins', 'load', 'paths'], ours: adapterFolder(given, 'openclaw'), isNeeded: true },
    { at: ['plugins', 'allow'], ours: OPENCLAW_ID, isNeeded: false },
  ]
  const added = lists.flatMap(({ at, ours, isNeeded }) => {
    const there = valueAt(before, at)
    if (!Array.isArray(there)) return isNeeded ? [{ at, value: [ours] }] : []
    return [{ at, value: [...there.filter((one) => one !== ours), ours] }]
  })
  const config = { node, cli: join(root, 'bin', 'lcm.mjs'), memory }
  return [
    ...added,
    { at: ['plugins', 'entries', OPENCLAW_ID], value: { enabled: true, config } },
    { at: OPENCLAW_SLOT, value: OPENCLAW_ID },
  ]
}

function withoutOpenClaw(before: string, given: Connected): string | null {
  const isOurSlot = valueAt(before, OPENCLAW_SLOT) === OPENCLAW_ID
  return openClawEntries(given, before).reduce<string | null>((text, { at, value }) => {
    if (text === null || (at === OPENCLAW_SLOT && !isOurSlot)) return text
    const others = Array.isArray(value) ? value.slice(0, -1) : []
    return others.length === 0 ? withoutEntries(text, [{ at, value }]) : withEntries(text, [{ at, value: others }])
  }, before)
}

const hermesFolder = ({ home, env }: Surroundings): string => env.HERMES_HOME?.trim() || join(home, '.hermes')
const hermesPlugin = (where: Surroundings): string => join(hermesFolder(where), 'plugins', 'lcm_inspector')

/** A context engine among the plugins of the user. Its settings are YAML, which we leave to its own command. */
const hermes: AgentConnection = {
  agent: 'hermes',
  label: 'Hermes',
  folder: hermesFolder,
  connect: (where, given) => ourFiles(given, 'hermes', hermesPlugin(where)),
  disconnect: (where, given) =>
    ourFiles(given, 'hermes', hermesPlugin(where)).map(({ path }) => changed(path, () => null)),
  afterwards: 'Choose it once: "hermes config set context.engine lcm_inspector".',
}

export const AGENT_CONNECTIONS: Readonly<Record<ConnectedAgent, AgentConnection>> = {
  'claude-code': claudeCode,
  codex,
  opencode: openCode,
  pi,
  openclaw: openClaw,
  hermes,
}

/** Whether the files of an agent hold what was written into them. */
export function isConnected({ connect }: AgentConnection, where: Surroundings, given: Connected): boolean {
  try {
    return connect(where, given).every(isSame)
  } catch {
    return false
  }
}

export const isInstalled = (connection: AgentConnection, where: Surroundings): boolean =>
  existsSync(connection.folder(where))
