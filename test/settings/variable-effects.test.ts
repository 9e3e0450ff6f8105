import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { CompactInput } from '#core/contract/compaction.ts'
import { startRecording } from '#core/doors/recording.ts'
import type { Jobs } from '#core/jobs/jobs.ts'
import { OpeningCheck } from '#core/jobs/opening-check.ts'
import { openLcm } from '#core/lcm.ts'
import { logEvent } from '#core/log.ts'
import { readSettings } from '#core/settings/settings.ts'
import { VARIABLES } from '#core/settings/variables.ts'
import { TranscriptBuilder } from '../builders/claude-code.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lcmHere } from '../doors/cli/lcm.ts'
import { writeLong } from '../doors/cli/memories.ts'
import { provider } from '../models/summarizers/ask-model.ts'
import { type Behaviour, good, promptOf, startModelServer } from '../models/summarizers/model-server.ts'
import { encoder, startEncoder } from '../search/embeddings/encoder-server.ts'

type Env = Readonly<Record<string, string>>
/** What a user sees of a variable: the same observation without it and with it. */
type Effect = {
  readonly given: (folder: string) => Env
  readonly observe: (env: Env, folder: string) => Promise<unknown>
  readonly without: unknown
  readonly with: unknown
}

let db: string
let transcript: string
let withFile: string
beforeAll(async () => {
  const folder = temporaryFolder()
  db = join(folder, 'lcm.db')
  transcript = writeLong(folder)
  await run({}, 'import', transcript, '--db', db)
  const story = new TranscriptBuilder()
  const rows = Array.from({ length: 900 }, (_, row) => `${row},item ${row},${row * 3}.50`)
  story.user(`Look: <file name="prices.csv" mime="text/csv">\n${['id,name,price', ...rows].join('\n')}\n</file>`)
  withFile = story.write('with-file.jsonl', folder)
})

// biome-ignore lint/suspicious/noExplicitAny: every observation picks what it needs from a document
type Document = any

/** Runs a command to its JSON document. */
async function run(env: Env, ...args: string[]): Promise<Document> {
  const { stdout } = await lcmHere([...args, '--json'], { env })
  return JSON.parse(stdout)
}

const copied = (folder: string): string => {
  const copy = join(folder, 'copy.db')
  copyFileSync(db, copy)
  return copy
}
const filesIn = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
    : 0

type Step = { readonly depth: number; readonly sources: readonly string[]; readonly expectedTokens: number }
const leaves = (steps: readonly Step[]): readonly Step[] => steps.filter(({ depth }) => depth === 0)
const condensed = (steps: readonly Step[]): readonly Step[] => steps.filter(({ depth }) => depth > 0)

/** What a compaction of the long conversation would do. */
const plan =
  (pick: (plan: { readonly steps: readonly Step[]; readonly skipped: string | null }) => unknown, ...args: string[]) =>
  async (env: Env): Promise<unknown> =>
    pick(await run(env, 'compact', '--plan', '--db', db, ...args))

/** The triggers that fire. */
async function triggers(env: Env): Promise<string[]> {
  using lcm = await openLcm(db, { settings: readSettings(env) })
  const { triggers } = lcm.planner.evaluate(CompactInput.parse({ conversationId: 1 }))
  return triggers.filter(({ fired }) => fired).map(({ name }) => name)
}

/**
 * Answers when so many requests wait as are sent at once by default, or when no more of them come.
 * @returns the most that waited at once
 */
function together(): { readonly behaviour: Behaviour; readonly most: () => number } {
  let waiting: (() => void)[] = []
  let most = 0
  let timer: NodeJS.Timeout | undefined
  const release = (): void => {
    const released = waiting
    waiting = []
    for (const answer of released) answer()
  }
  const behaviour: Behaviour = (response, request, n) => {
    clearTimeout(timer)
    waiting.push(() => good('The retry was removed.')(response, request, n))
    most = Math.max(most, waiting.length)
    if (waiting.length >= VARIABLES.leafConcurrency.fallback) release()
    else timer = setTimeout(release, 250)
  }
  return { behaviour, most: () => most }
}

/** Compacts a copy by two models, of which the settings file has only the first in its chain, and says who was asked. */
async function asked(
  env: Env,
  folder: string,
  behaviour: Behaviour = good('The retry was removed.'),
  command = (): string[] => ['compact', '--summarizer', 'chain', '--db', copied(folder)],
): Promise<{ one: number; two: number; prompt: boolean }> {
  const servers = await Promise.all([startModelServer(behaviour), startModelServer(behaviour)])
  const [one, two] = servers
  const providers = [
    provider(one.url, { name: 'one', keyVariable: null }),
    provider(two.url, { name: 'two', keyVariable: null }),
  ]
  const file = join(folder, 'settings.json')
  writeFileSync(file, JSON.stringify({ providers, chain: ['one'] }))
  try {
    await run({ LCM_SETTINGS_FILE: file, ...env }, ...command())
    const prompt = one.asked.some((request) => promptOf(request).prompt.includes('MY OWN PROMPT'))
    return { one: one.asked.length, two: two.asked.length, prompt }
  } finally {
    await Promise.all(servers.map((server) => server.close()))
  }
}

/** How often each model is asked when a transcript with a large text is imported. */
async function explorersAsked(env: Env, folder: string): Promise<{ one: number; two: number }> {
  const story = new TranscriptBuilder()
  const words = Array.from({ length: 4000 }, (_, at) => `The harbour has crane ${at}.`).join('\n\n')
  story.user(`Read: <file name="harbour.md">\n# Harbour\n\n${words}\n</file>`)
  const path = story.write('text.jsonl', folder)
  const { one, two } = await asked(env, folder, good('It is about a harbour.'), () => [
    'import',
    path,
    '--db',
    join(folder, 'texts.db'),
  ])
  return { one, two }
}

/** How many lines of the level debug are written. */
async function debugLines(env: Env, folder: string): Promise<number> {
  const log = join(folder, 'log')
  const recorder = startRecording({ LCM_SETTINGS_FILE: join(folder, 'none.json'), ...env, LCM_LOG_DIR: log })
  logEvent('debug', 'process', 'thread.started', { role: 'interactive' })
  await recorder.close()
  const files = existsSync(log) ? readdirSync(log).filter((name) => name.endsWith('.jsonl')) : []
  return files.flatMap((name) => readFileSync(join(log, name), 'utf8').trim().split('\n')).filter(Boolean).length
}

const configuredMessages = async (env: Env): Promise<unknown> => {
  const stats = await run(env, 'stats')
  return stats.messages ?? stats.error.code
}
const SMALL = { LCM_TOKEN_BUDGET: '26000' }

/** Has a local server turn a copy of the long conversation into vectors. */
async function vectorsMade(env: Env, folder: string) {
  const server = await startEncoder()
  try {
    const settings = join(folder, 'settings.json')
    writeFileSync(settings, JSON.stringify({ providers: [encoder(server.url)] }))
    const around = { LCM_SETTINGS_FILE: settings, LCM_CACHE_DIR: join(folder, 'cache'), ...env }
    return await lcmHere(['embed', '--db', copied(folder), '--json'], { env: around })
  } finally {
    await server.close()
  }
}

const effects: Readonly<Record<keyof typeof VARIABLES, Effect>> = {
  enabled: {
    given: () => ({ LCM_ENABLED: 'false' }),
    observe: plan(({ steps }) => steps.length),
    without: 8,
    with: 0,
  },
  databasePath: {
    given: () => ({ LCM_DATABASE_PATH: db }),
    observe: configuredMessages,
    without: 'file_missing',
    with: 160,
  },
  databaseUrl: {
    given: () => ({ LCM_DATABASE_URL: pathToFileURL(db).href }),
    observe: configuredMessages,
    without: 'file_missing',
    with: 160,
  },
  databaseFolder: {
    given: () => ({ LCM_DB_DIR: dirname(db) }),
    observe: configuredMessages,
    without: 'file_missing',
    with: 160,
  },
  budgetTokens: {
    given: () => ({ LCM_TOKEN_BUDGET: '20000' }),
    observe: triggers,
    without: [],
    with: ['soft_threshold', 'hard_threshold'],
  },
  softThreshold: {
    given: () => ({ LCM_CONTEXT_THRESHOLD: '0.1' }),
    observe: triggers,
    without: [],
    with: ['soft_threshold'],
  },
  hardThreshold: {
    given: () => ({ LCM_HARD_THRESHOLD: '0.8' }),
    observe: (env) => triggers({ ...SMALL, ...env }),
    without: ['soft_threshold'],
    with: ['soft_threshold', 'hard_threshold'],
  },
  maxActiveMessages: {
    given: () => ({ LCM_MAX_ACTIVE_MESSAGES: '100' }),
    observe: triggers,
    without: [],
    with: ['active_messages'],
  },
  freshTailCount: {
    given: () => ({ LCM_FRESH_TAIL_COUNT: '60' }),
    observe: plan(({ steps }) => leaves(steps).reduce((sum, { sources }) => sum + sources.length, 0)),
    without: 152,
    // A call is kept with its result.
    with: 99,
  },
  minMessagesToCompact: {
    given: () => ({ LCM_MIN_MESSAGES_TO_COMPACT: '200' }),
    observe: plan(({ steps }) => steps.length),
    without: 8,
    with: 0,
  },
  leafChunkTokens: {
    given: () => ({ LCM_LEAF_CHUNK_TOKENS: '1000' }),
    observe: plan(({ steps }) => leaves(steps).length),
    without: 7,
    with: 30,
  },
  leafTargetTokens: {
    given: () => ({ LCM_LEAF_TARGET_TOKENS: '300' }),
    observe: plan(({ steps }) => leaves(steps)[0]?.expectedTokens),
    without: 600,
    with: 300,
  },
  leafConcurrency: {
    given: () => ({ LCM_LEAF_CONCURRENCY: '1' }),
    observe: async (env, folder) => {
      const { behaviour, most } = together()
      await asked(env, folder, behaviour)
      return most()
    },
    without: 4,
    with: 1,
  },
  condensedTargetTokens: {
    given: () => ({ LCM_CONDENSED_TARGET_TOKENS: '500' }),
    observe: plan(({ steps }) => condensed(steps)[0]?.expectedTokens),
    without: 900,
    with: 500,
  },
  condensedMinFanout: {
    given: () => ({ LCM_CONDENSED_MIN_FANOUT: '3' }),
    observe: plan(({ steps }) => condensed(steps)[0]?.sources.length),
    without: 4,
    with: 3,
  },
  maxDepth: {
    given: () => ({ LCM_MAX_DEPTH: '1' }),
    observe: (env) =>
      plan(({ steps }) => Math.max(...steps.map(({ depth }) => depth)))({ LCM_LEAF_CHUNK_TOKENS: '1000', ...env }),
    without: 2,
    with: 1,
  },
  maxExpandTokens: {
    given: () => ({ LCM_MAX_EXPAND_TOKENS: '500' }),
    observe: async (env, folder) => {
      const copy = copied(folder)
      const { created } = await run({}, 'compact', '--mode', 'leaf', '--db', copy)
      const { tokens } = await run(env, 'expand', created[0].id, '--messages', '--db', copy)
      return tokens > 500
    },
    without: true,
    with: false,
  },
  checkOnOpening: {
    given: () => ({ LCM_CHECK_ON_OPENING: 'false' }),
    observe: async (env) => {
      const lcm = await openLcm(db, { readOnly: true, settings: readSettings(env) })
      let started = 0
      const check = new OpeningCheck({ list: () => [], start: () => `job ${++started}` } as unknown as Jobs)
      for (let looks = 0; looks < 10; looks += 1) check.look(lcm, null)
      lcm.close()
      return started
    },
    without: 1,
    with: 0,
  },
  autocompactDisabled: {
    given: () => ({ LCM_AUTOCOMPACT_DISABLED: 'true' }),
    observe: (env) => plan(({ skipped }) => skipped === null, '--auto')({ ...SMALL, ...env }),
    without: true,
    with: false,
  },
  largeFileTokenThreshold: {
    given: () => ({ LCM_LARGE_FILE_TOKEN_THRESHOLD: '1000' }),
    observe: async (env, folder) => {
      await run(env, 'import', withFile, '--db', join(folder, 'new.db'))
      return filesIn(join(folder, 'lcm-files'))
    },
    without: 0,
    with: 1,
  },
  filesDir: {
    given: (folder) => ({ LCM_FILES_DIR: join(folder, 'mine') }),
    observe: async (env, folder) => {
      await run({ LCM_LARGE_FILE_TOKEN_THRESHOLD: '1000', ...env }, 'import', withFile, '--db', join(folder, 'new.db'))
      return [filesIn(join(folder, 'lcm-files')), filesIn(join(folder, 'mine'))]
    },
    without: [1, 0],
    with: [0, 1],
  },
  ledgerPath: {
    given: (folder) => ({ LCM_LEDGER_PATH: join(folder, 'mine.ledger') }),
    observe: async (env, folder) => {
      await run({ LCM_DATABASE_PATH: join(folder, 'new.db'), ...env }, 'import', transcript)
      return existsSync(join(folder, 'mine.ledger'))
    },
    without: false,
    with: true,
  },
  tokenEstimator: {
    given: () => ({ LCM_TOKEN_ESTIMATOR: 'o200k_base' }),
    observe: async (env, folder) => {
      const made = join(folder, 'new.db')
      await run(env, 'import', transcript, '--db', made)
      const lcm = await openLcm(made)
      lcm.close()
      return lcm.estimator.name
    },
    without: expect.stringMatching(/^heuristic/),
    with: 'o200k_base',
  },
  summarizers: {
    given: () => ({ LCM_SUMMARIZERS: 'two' }),
    observe: async (env, folder) => {
      const { one, two } = await asked(env, folder)
      return { one: one > 0, two: two > 0 }
    },
    without: { one: true, two: false },
    with: { one: false, two: true },
  },
  explorers: {
    given: () => ({ LCM_EXPLORERS: 'two' }),
    observe: async (env, folder) => explorersAsked(env, folder),
    without: { one: 0, two: 0 },
    with: { one: 0, two: 1 },
  },
  embeddings: {
    given: () => ({ LCM_EMBEDDINGS: 'encoder' }),
    observe: async (env, folder) => (await vectorsMade(env, folder)).stderr,
    without: expect.stringContaining('No model is named that makes vectors'),
    with: '',
  },
  embeddingsMaxTexts: {
    given: () => ({ LCM_EMBEDDINGS_MAX_TEXTS: '3' }),
    observe: async (env, folder) => {
      const { stdout } = await vectorsMade({ LCM_EMBEDDINGS: 'encoder', ...env }, folder)
      const { outcome, sent } = JSON.parse(stdout)
      return { outcome, isLittle: sent <= 3 }
    },
    without: { outcome: 'ready', isLittle: false },
    with: { outcome: 'cap', isLittle: true },
  },
  spendCapTokens: {
    given: () => ({ LCM_SPEND_CAP_TOKENS: '100' }),
    observe: async (env, folder) => (await asked(env, folder)).one > 0,
    without: true,
    with: false,
  },
  promptsDir: {
    given: (folder) => ({ LCM_PROMPTS_DIR: join(folder, 'my-prompts') }),
    observe: async (env, folder) => {
      const text = 'MY OWN PROMPT {{style}} {{target_tokens}} {{previous_summary}} {{sources}}'
      mkdirSync(join(folder, 'my-prompts'))
      writeFileSync(join(folder, 'my-prompts', 'leaf.md'), text)
      return (await asked(env, folder)).prompt
    },
    without: false,
    with: true,
  },
  logLevel: {
    given: () => ({ LCM_LOG_LEVEL: 'debug' }),
    observe: debugLines,
    without: 0,
    with: 1,
  },
  // What the desktop app does with it: test/electron/updates.test.ts.
  updates: {
    given: () => ({ LCM_UPDATES: 'off' }),
    observe: async (env) => readSettings(env).updates,
    without: 'latest',
    with: 'off',
  },
  debugMode: {
    given: () => ({ LCM_DEBUG_MODE: 'true' }),
    observe: debugLines,
    without: 0,
    with: 1,
  },
}

describe('the variables', () => {
  it.each(Object.entries(effects))(
    'the variable of %s changes what it names',
    async (name, { given, observe, without, with: changed }) => {
      const folder = temporaryFolder()
      const env = given(folder)
      expect(Object.keys(env)).toEqual([VARIABLES[name as keyof typeof VARIABLES].name])
      expect(await observe({}, temporaryFolder())).toEqual(without)
      expect(await observe(env, folder)).toEqual(changed)
    },
  )

  it('every variable has such a test', () => {
    expect(Object.keys(effects).toSorted()).toEqual(Object.keys(VARIABLES).toSorted())
  })
})
