import { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CommandList, CommandSpec } from '#core/doors/cli/command.ts'
import { commandLists } from '#core/doors/cli/commands.ts'
import { flagsOf } from '#core/doors/cli/input/flags.ts'
import { addCommand, commandFlags, flagText } from '#core/doors/cli/input/parser.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { lcm, lcmHere } from './lcm.ts'

/** Splits an example as a shell would. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')

let lists: readonly CommandList[]
let every: readonly { readonly title: string; readonly spec: CommandSpec }[]

beforeAll(async () => {
  lists = await commandLists()
  every = (
    await Promise.all(lists.map(async ({ title, all }) => (await all()).map((spec) => ({ title, spec }))))
  ).flat()
})

describe('every command and every procedure', () => {
  it('is listed once', () => {
    expect(every.length).toBeGreaterThan(90)
    expect(new Set(every.map(({ title, spec }) => `${title} ${spec.name}`)).size).toBe(every.length)
  })

  it('is in the list of all with the words that it is given without a flag', async () => {
    for (const { title, lines, all } of lists) {
      const given = (await all()).map((spec) => {
        const command = addCommand(new Command(title), spec, async () => undefined)
        return [spec.name, spec.does, command.usage().replace('[options]', '').trim()]
      })
      expect((await lines()).map(({ name, does, words = '' }) => [name, does, words])).toEqual(given)
    }
  })

  it('says what it does and what each of its options means', () => {
    const silent = every.flatMap(({ title, spec }) => [
      ...(spec.does === '' ? [`${title} ${spec.name}`] : []),
      ...flagsOf(spec.fields)
        .filter(({ does }) => does.replace(/\(.*\)/, '').trim() === '')
        .map(({ name }) => `${title} ${spec.name} --${name}`),
    ])
    expect(silent).toEqual([])
  })

  it('has no two options of the same name', () => {
    const twice = every.filter(({ spec }) => {
      const names = commandFlags(spec).options.map(({ name }) => name)
      return new Set(names).size < names.length
    })
    expect(twice.map(({ spec }) => spec.name)).toEqual([])
  })

  it('has an example that its parser accepts', async () => {
    for (const { title, spec } of every) {
      const program = new Command(title).exitOverride().configureOutput({ writeErr: () => undefined })
      let isAccepted = false
      addCommand(program, spec, async () => {
        isAccepted = true
      })
      const words = wordsOf(`lcm ${spec.example}`.replace(`${title} `, '').replace(/ >> .*/, ''))
      // `call` alone stands for the procedures behind it.
      if (spec.name === 'call') continue
      await program.parseAsync(words, { from: 'user' })
      expect(isAccepted, `lcm ${spec.example}`).toBe(true)
    }
  })

  it('says what it does with the memory in --db, unless it opens none or takes an address in its own way', async () => {
    const silent = every.filter(({ title, spec }) => title === 'lcm' && spec.memory === undefined)
    expect(silent.map(({ spec }) => spec.name).toSorted()).toEqual(
      [
        ...['call', 'completion', 'copy', 'discover', 'doctor', 'engine', 'find', 'fleet', 'hook', 'map', 'mend'],
        ...['objects', 'open', 'pg', 'pull', 'push', 'salvage', 'schema', 'serve', 'uninstall', 'worker'],
      ].toSorted(),
    )
  })

  it('asks on an address which conversation is meant, or says how a conversation is changed', async () => {
    const address = ['--db', 'postgres://ada@localhost:1/lcm?tenant=acme', '--json']
    const refused = async (words: readonly string[]) => JSON.parse((await lcmHere(words)).stdout).error.code
    for (const { title, spec } of every) {
      if (title !== 'lcm' || spec.memory === undefined) continue
      const words = wordsOf(spec.example.replace(/ --(?:db|conversation) \S+/g, ''))
      const code = await refused([...words, ...address])
      expect(code, spec.example).toMatch(/^(conversation_required|unsupported)$/)
      if (code === 'unsupported') continue
      expect(await refused([...words, ...address, '--conversation', '7']), spec.example).toBe('server_unavailable')
    }
    const file = ['--db', buildMemory({}).path, '--json']
    expect(await refused(['describe', 'msg_1', '--conversation', '1', ...file])).toBe('invalid_argument')
    const configured = await lcmHere(['stats', '--json'], { env: { LCM_DATABASE_URL: address[1] ?? '' } })
    expect(JSON.parse(configured.stdout).error.code).toBe('conversation_required')
    for (const [words, code] of [
      [['ledger', 'verify', 'a.jsonl'], 'conversation_required'],
      [['ledger', 'verify', '--conversation', '7'], 'server_unavailable'],
      [['ledger', 'status'], 'unsupported'],
      [['ledger', 'rebuild', 'a.jsonl', '--to', address[1] ?? ''], 'unsupported'],
      [['salvage', '--from', address[1] ?? '', '--to', 'a.db'], 'unsupported'],
    ] as const) {
      expect(await refused([...words, ...address]), words.join(' ')).toBe(code)
    }
  })

  it('shows its options, ranges, defaults and example with --help', async () => {
    const { stdout, code } = await lcm(['grep', '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/--limit <n> +hits a page \(1 to 1000; default: 50\)/)
    expect(stdout).toMatch(/--scope <scope> +where to search \(messages, summaries, both, files;\s+default: both\)/)
    expect(stdout).toMatch(/Example:\n {2}lcm grep /)
    const called = await lcm(['call', 'strata.get', '--help'])
    expect(called.stdout).toMatch(/--axis <axis> +the unit of x \(messages, tokens, time\)/)
  })
})

describe('a flag', () => {
  const named = (schema: z.ZodType): string[] => flagsOf(schema).map(flagText)

  it('has the name of its field in kebab case, without its unit', () => {
    const fields = z.object({
      conversationId: z.int(),
      freshTailCount: z.int(),
      budgetTokens: z.int(),
      afterMs: z.number(),
      isRegex: z.boolean(),
      maxPerNode: z.int(),
    })
    expect(named(fields)).toEqual([
      ...['--conversation <id>', '--fresh-tail <n>', '--budget <tokens>'],
      ...['--after <time>', '--regex', '--max-per-node <n>'],
    ])
  })

  it('has the name of one value when its field is a list, unless that is taken', () => {
    expect(named(z.object({ roles: z.array(z.string()) }))).toEqual(['--role <role>'])
    const both = z.object({ paths: z.array(z.string()), path: z.string() })
    expect(named(both)).toEqual(['--paths <path>', '--path <path>'])
  })

  it('turns a switch that is on by default into one that turns it off', () => {
    expect(named(z.object({ open: z.boolean().default(true) }))).toEqual(['--no-open'])
  })
})

describe('wrong usage', () => {
  const memory = buildMemory({ conversations: [{ messages: ['one', 'two'] }] })
  memory.db.close()

  it.each<[string, string[], RegExp]>([
    ['names the nearest option', ['grep', 'x', '--limt', '4'], /unknown option '--limt'\. Did you mean --limit\?/],
    ['names the nearest command', ['gerp', 'x'], /unknown command 'gerp'\. Did you mean grep\? "lcm --help" says more/],
    ['names the nearest procedure', ['call', 'strata.gett'], /Did you mean strata\.get\? "lcm call --help"/],
    ['names the range', ['grep', 'x', '--limit', '0'], /'0' is invalid\. Expected a whole number from 1 to 1000\./],
    ['names the lower bound', ['compact', '--set', 'maxDepth=-2'], /Expected a whole number from -1 on\./],
    [
      'names the range of a fraction',
      ['probe', '--min-recall', '7'],
      /'7' is invalid\. Expected a number from 0 to 1\./,
    ],
    ['names the choices', ['grep', 'x', '--sort', 'best'], /Expected one of: relevance, newest, oldest\./],
    ['says that a value is missing', ['grep', 'x', '--newer', '--limit'], /option '--limit <n>' argument missing/],
    ['says that an argument is missing', ['grep'], /missing required argument 'query'/],
    ['says what is given twice', ['grep', 'x', '--limit', '1', '--limit', '2'], /'--limit <n>' is given twice/],
    ['says what excludes what', ['repair', '--plan', '--apply', 'all'], /--plan and --apply exclude each other/],
    [
      'says the same in any order',
      ['context', '--render', 'openai', '--diff', '1..now'],
      /--diff and --render exclude/,
    ],
    ['says what a kind of job lacks', ['call', 'jobs.start', '--kind', 'compact'], /--conversation: it is missing/],
    ['refuses what is no JSON', ['call', 'files.read', '--id', 'f', '--view', '{'], /Expected JSON/],
  ])('%s, and points to the help: exit code 2', async (_what, args, expected) => {
    const command = args[0] === 'call' ? 2 : 1
    const ran = await lcmHere([...args.slice(0, command), '--db', memory.path, ...args.slice(command)])
    const { code, stdout, stderr } = ran
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(expected)
    expect(stderr).toMatch(/"lcm[a-z. -]* --help" says more\.\n$/i)
  })
})
