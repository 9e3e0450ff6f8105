import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TranscriptFormatId } from '#core/contract/import.ts'

/** Where an agent is tried: nothing of it lies outside of these folders. */
export type Place = {
  readonly home: string
  /** The folder in which it works. */
  readonly work: string
  /** The address of the scripted model. */
  readonly url: string
}

export type Command = { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }

/** How an agent is installed, pointed at a model and asked. */
export type Agent = {
  readonly format: TranscriptFormatId
  readonly package: string
  /** What else is installed for it. */
  readonly needs?: string
  /** The name of its program. */
  readonly program: string
  /** Writes its settings, and names what has to be run before the first prompt. */
  readonly prepare: (place: Place) => readonly Command[]
  /** The first prompt begins a session, and later ones continue it. */
  readonly ask: (prompt: string, turn: number, place: Place) => Command
  /** The folder of its sessions, in its home. */
  readonly sessions: string
  /** The files that hold records, for the shapes of them. */
  readonly records: RegExp
  /** Why only the first prompt is asked. */
  readonly oneTurn?: string
  /** Why its files do not tell what each request used. */
  readonly noUsage?: string
  /** To install it and ask all prompts, 240 by default. */
  readonly secondsAtMost?: number
}

function write(folder: string, name: string, text: unknown): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), typeof text === 'string' ? text : JSON.stringify(text))
}

const nothing = (): readonly Command[] => []
const claude = { ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }

/** Kilo reads the settings of opencode, too. */
function openCodeSettings({ work, url }: Place): readonly Command[] {
  const options = { baseURL: `${url}/v1`, apiKey: 'none' }
  const models = { m: { name: 'm', limit: { context: 200_000, output: 8000 } } }
  const scripted = { npm: '@ai-sdk/openai-compatible', options, models }
  const settings = { provider: { scripted }, model: 'scripted/m', autoupdate: false, share: 'disabled' }
  write(work, 'opencode.json', { ...settings, permission: 'allow' })
  return []
}

/** Without an account, Droid does not continue a session, and forks one by its id. */
function droidSession(home: string): string {
  const names = readdirSync(join(home, '.factory/sessions'), { recursive: true, encoding: 'utf8' })
  return basename(names.find((name) => name.endsWith('.jsonl')) ?? '', '.jsonl')
}

/** Every agent on npm whose sessions are read. */
export const agents: readonly Agent[] = [
  {
    format: 'claude-code',
    package: '@anthropic-ai/claude-code',
    program: 'claude',
    prepare: nothing,
    ask: (prompt, turn, { url }) => ({
      args: [...(turn > 0 ? ['-c'] : []), '-p', prompt, '--allowedTools', 'Bash'],
      env: { ANTHROPIC_BASE_URL: url, ...claude },
    }),
    sessions: '.claude/projects',
    records: /\.jsonl$/,
  },
  {
    format: 'codex',
    package: '@openai/codex',
    program: 'codex',
    prepare: ({ home, url }) => {
      const provider = `name = "scripted"\nbase_url = "${url}/v1"\nenv_key = "SCRIPTED_KEY"\nwire_api = "responses"\n`
      const model = 'model = "m"\nmodel_provider = "scripted"\n'
      write(join(home, '.codex'), 'config.toml', `${model}[model_providers.scripted]\n${provider}`)
      return []
    },
    ask: (prompt, turn) => ({
      args: [
        ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
        ...(turn > 0 ? ['resume', '--last'] : []),
        prompt,
      ],
      env: { SCRIPTED_KEY: 'none' },
    }),
    sessions: '.codex/sessions',
    records: /\.jsonl$/,
  },
  {
    format: 'gemini-cli',
    package: '@google/gemini-cli',
    program: 'gemini',
    prepare: ({ home }) => {
      write(join(home, '.gemini'), 'settings.json', { security: { auth: { selectedType: 'gemini-api-key' } } })
      return []
    },
    ask: (prompt, turn, { url }) => ({
      args: ['-m', 'gemini-2.5-pro', '--yolo', ...(turn > 0 ? ['--resume', 'latest'] : []), '-p', prompt],
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
    }),
    sessions: '.gemini/tmp',
    records: /chats\/.*\.jsonl$/,
  },
  {
    format: 'qwen-code',
    package: '@qwen-code/qwen-code',
    program: 'qwen',
    prepare: nothing,
    ask: (prompt, turn, { url }) => ({
      args: ['--auth-type', 'openai', '--yolo', ...(turn > 0 ? ['-c'] : []), '-p', prompt],
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'm' },
    }),
    sessions: '.qwen/projects',
    records: /chats\/.*\.jsonl$/,
  },
  {
    format: 'copilot-cli',
    package: '@github/copilot',
    program: 'copilot',
    prepare: nothing,
    ask: (prompt, turn, { url }) => ({
      args: ['--allow-all-tools', ...(turn > 0 ? ['--continue'] : []), '-p', prompt],
      env: {
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: 'none',
        COPILOT_MODEL: 'm',
        COPILOT_OFFLINE: 'true',
      },
    }),
    sessions: '.copilot/session-state',
    records: /events\.jsonl$/,
  },
  {
    format: 'opencode',
    package: 'opencode-ai',
    program: 'opencode',
    prepare: openCodeSettings,
    ask: (prompt, turn) => ({
      args: ['run', ...(turn > 0 ? ['-c'] : []), prompt],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    }),
    sessions: '.local/share/opencode',
    records: /opencode\.db$/,
  },
  {
    format: 'openclaw',
    package: 'openclaw',
    program: 'openclaw',
    prepare: ({ home, work, url }) => {
      const model = { id: 'm', name: 'm', reasoning: false, input: ['text'], contextWindow: 200_000, maxTokens: 8000 }
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
      const provider = { baseUrl: `${url}/v1`, apiKey: 'none', api: 'openai-completions', models: [{ ...model, cost }] }
      const defaults = { model: { primary: 'scripted/m' }, workspace: work }
      const models = { mode: 'merge', providers: { scripted: provider } }
      write(join(home, '.openclaw'), 'openclaw.json', { models, agents: { defaults } })
      return []
    },
    ask: (prompt) => ({ args: ['agent', '--local', '--session-id', 'scripted', '--message', prompt] }),
    sessions: '.openclaw/agents',
    records: /openclaw-agent\.sqlite$/,
    secondsAtMost: 600,
  },
  {
    format: 'pi',
    package: '@earendil-works/pi-coding-agent',
    program: 'pi',
    prepare: ({ home, url }) => {
      const provider = { baseUrl: `${url}/v1`, apiKey: 'none', api: 'openai-completions', models: [{ id: 'm' }] }
      write(join(home, '.pi/agent'), 'models.json', { providers: { scripted: provider } })
      return []
    },
    ask: (prompt, turn) => ({
      args: ['--provider', 'scripted', '--model', 'm', ...(turn > 0 ? ['-c'] : []), '-p', prompt],
    }),
    sessions: '.pi/agent/sessions',
    records: /\.jsonl$/,
  },
  {
    format: 'oh-my-pi',
    package: '@oh-my-pi/pi-coding-agent',
    needs: 'bun',
    program: 'omp',
    prepare: ({ home, url }) => {
      const model = { id: 'm', name: 'm', contextWindow: 200_000, maxTokens: 8000 }
      const provider = { baseUrl: `${url}/v1`, apiKey: 'none', api: 'openai-completions', models: [model] }
      // JSON is YAML.
      write(join(home, '.omp/agent'), 'models.yml', { providers: { scripted: provider } })
      return []
    },
    ask: (prompt, turn) => ({
      args: ['--provider', 'scripted', '--model', 'scripted/m', ...(turn > 0 ? ['-c'] : []), '-p', prompt],
    }),
    sessions: '.omp/agent/sessions',
    records: /\.jsonl$/,
  },
  {
    format: 'kilo',
    package: '@kilocode/cli',
    program: 'kilo',
    prepare: openCodeSettings,
    ask: (prompt, turn) => ({
      args: ['run', ...(turn > 0 ? ['-c'] : []), prompt],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    }),
    sessions: '.local/share/kilo',
    records: /kilo\.db$/,
  },
  {
    format: 'droid',
    package: 'droid',
    program: 'droid',
    prepare: ({ home, url }) => {
      const model = { model: 'm', displayName: 'm', baseUrl: `${url}/v1`, apiKey: 'none', maxOutputTokens: 8000 }
      const customModels = [{ ...model, provider: 'generic-chat-completion-api' }]
      write(join(home, '.factory'), 'settings.json', { customModels })
      return []
    },
    ask: (prompt, turn, { home }) => ({
      args: [
        ...['exec', '--auto', 'high', '-m', 'custom:m-0'],
        ...(turn > 0 ? ['--fork', droidSession(home)] : []),
        prompt,
      ],
    }),
    sessions: '.factory/sessions',
    records: /\.jsonl$/,
    noUsage: 'its settings have the sum of a session',
  },
  {
    format: 'cline',
    package: 'cline',
    program: 'cline',
    prepare: ({ url }) => [{ args: ['auth', '-p', 'openai', '-k', 'none', '-m', 'm', '-b', `${url}/v1`] }],
    ask: (prompt) => ({ args: ['--auto-approve', 'true', prompt] }),
    sessions: '.cline/data/sessions',
    records: /\.json$/,
    oneTurn: 'a session is continued only at a terminal',
  },
  {
    format: 'continue',
    package: '@continuedev/cli',
    program: 'cn',
    prepare: ({ home, url }) => {
      const model = { name: 'm', provider: 'openai', model: 'm', apiBase: `${url}/v1`, apiKey: 'none', roles: ['chat'] }
      // JSON is YAML.
      write(join(home, '.continue'), 'config.yaml', { name: 'l', version: '0.0.1', schema: 'v1', models: [model] })
      return []
    },
    ask: (prompt, turn, { home }) => ({
      args: [
        ...['--config', join(home, '.continue/config.yaml'), '--auto'],
        ...(turn > 0 ? ['--resume'] : []),
        ...['-p', prompt],
      ],
      env: { CONTINUE_TELEMETRY_ENABLED: '0' },
    }),
    sessions: '.continue/sessions',
    records: /-[^/\\]*\.json$/,
  },
  {
    format: 'kimi-code',
    package: '@moonshot-ai/kimi-code',
    program: 'kimi',
    prepare: ({ home, url }) => {
      const provider = `type = "openai"\nbase_url = "${url}/v1"\napi_key = "none"\n`
      const model = 'provider = "scripted"\nmodel = "m"\nmax_context_size = 200000\n'
      const settings = 'default_model = "m"\ndefault_permission_mode = "yolo"\ntelemetry = false\n'
      const tables = `[providers.scripted]\n${provider}[models.m]\n${model}`
      write(join(home, '.kimi-code'), 'config.toml', settings + tables)
      return []
    },
    ask: (prompt, turn) => ({ args: [...(turn > 0 ? ['-c'] : []), '-p', prompt] }),
    sessions: '.kimi-code/sessions',
    records: /wire\.jsonl$/,
  },
]

/** The files with records of an agent, in the order of their names. */
export function recordFiles({ sessions, records }: Agent, home: string): string[] {
  const folder = join(home, sessions)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => records.test(name))
  return names.sort().map((name) => join(folder, name))
}
