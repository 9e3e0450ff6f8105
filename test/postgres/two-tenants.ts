import { ORPCError } from '@orpc/server'
import { z } from 'zod'
import { hostCalls } from '#core/contract/host.ts'
import { type Procedure, procedures } from '#core/contract/procedures.ts'
import { remoteProcedures } from '#core/doors/remote-service.ts'
import { LcmError } from '#core/errors.ts'
import { sha256 } from '#core/hashing.ts'
import type { HostCallName } from '#core/host/hosted-memory.ts'
import type { RemoteMemory } from '#core/host/remote-memory.ts'
import type { Postgres } from '#core/remote/postgres/connect.ts'
import { sendMemory } from '#core/remote/send.ts'
import { runToEnd } from '#core/yielding.ts'
import { TestMemory } from '../builders/memory.ts'

/** What only the other tenant has. An attacker may guess the first word and every id, never what stands beside it. */
export const OTHER = { tenant: 'secretive', guessed: 'heron', told: ['Lisbon', 'Voyage', 'nightly'] }
export const OWN = 'acme'

export type TwoTenants = { readonly own: number; readonly other: number; readonly shared: string }

const never = new AbortController().signal

/** Stores a conversation of each of two tenants: same session, same external ids, and more of the other one. */
export async function fillTwoTenants(db: Postgres): Promise<TwoTenants> {
  const send = async (tenant: string, messages: number, text: string, title: string) => {
    using memory = new TestMemory()
    const conversation = memory.conversation({ sessionId: 'shared session', title })
    const ids = memory.messages(
      conversation,
      Array.from({ length: messages }, (_, at) => ({ content: `${text}, part ${at}.` })),
    )
    memory.leaf(conversation, ids.slice(0, 4), { id: 'sum_shared', content: `${text} in short.` })
    if (tenant === OTHER.tenant)
      memory.leaf(conversation, ids.slice(4, 8), { id: 'sum_heron', content: `${text} again.` })
    const [sent] = (await runToEnd(sendMemory({ from: memory.db, to: db, tenant }, never))).conversations
    return sent?.to ?? 0
  }
  const other = await send(OTHER.tenant, 30, 'The heron flies to Lisbon with the nightly mail', 'Voyage of the heron')
  return { own: await send(OWN, 12, 'The lease of the gull was renewed', 'Gulls'), other, shared: 'shared session' }
}

/** A hash of every row of the other tenant. */
export async function stateOfOther(db: Postgres): Promise<string> {
  return db.read(OTHER.tenant, async (query) => {
    const tables = await query<{ name: string }>(`
      SELECT c.table_name AS name FROM information_schema.columns AS c
      JOIN pg_catalog.pg_class AS k ON k.relname = c.table_name AND NOT k.relispartition
      WHERE c.table_schema = 'lcm' AND c.column_name = 'tenant_id' AND k.relkind IN ('r', 'p') ORDER BY 1`)
    const rows: unknown[] = []
    for (const { name } of tables) {
      rows.push(
        name,
        await query(`SELECT to_jsonb(t) AS row FROM lcm.${name} AS t WHERE tenant_id = $1 ORDER BY 1`, [OTHER.tenant]),
      )
    }
    return sha256(JSON.stringify(rows))
  })
}

/** The words of the other tenant in an answer or an error. */
export const leaked = (said: unknown): string[] => {
  const text =
    JSON.stringify(said instanceof Error ? { ...said, message: said.message, stack: said.stack } : said) ?? ''
  return OTHER.told.filter((word) => text.includes(word))
}

type JsonSchema = {
  readonly [key: string]: unknown
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}
type Guess = { readonly conversation: number; readonly node: string; readonly isWhole: boolean }

/** Inputs of a procedure that name things of another tenant, made from its schema, so that a new one is attacked at once. */
function attacksOn({ input }: Procedure, { own, other }: TwoTenants): unknown[] {
  if (input === undefined) return [undefined]
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema
  const guesses = [
    { conversation: other, node: 'sum_heron', isWhole: true },
    { conversation: other, node: 'msg_25', isWhole: false },
    { conversation: own, node: 'sum_heron', isWhole: true },
    { conversation: own, node: 'msg_25', isWhole: false },
  ]
  const made = guesses.flatMap((guess) =>
    (schema.anyOf ?? schema.oneOf ?? [schema]).map((one) => sample(one, '', guess)),
  )
  const distinct = [...new Map(made.map((one) => [JSON.stringify(one), one])).values()]
  return distinct.filter((one) => input.safeParse(one).success)
}

/** What fits where an id is made of digits alone. */
const HEX = '0123456789012345'

function sample(schema: JsonSchema, name: string, guess: Guess): unknown {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return sample(choices.find(({ type }) => type !== 'null') ?? {}, name, guess)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  switch (schema.type) {
    case 'object': {
      const wanted = Object.entries(schema.properties ?? {}).filter(
        ([key]) => guess.isWhole || schema.required?.includes(key) || /conversation/i.test(key),
      )
      return Object.fromEntries(wanted.map(([key, one]) => [key, sample(one, key, guess)]))
    }
    case 'array':
      return [sample(schema.items ?? {}, name, guess)]
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return /conversation/i.test(name) ? guess.conversation : (schema.default ?? schema.minimum ?? 1)
    default:
      if (/query|prompt|text|search|label/i.test(name)) return OTHER.guessed
      return typeof schema.pattern === 'string' && !new RegExp(schema.pattern).test(guess.node) ? HEX : guess.node
  }
}

type Attacked = {
  readonly leaks: unknown[]
  /** Calls that named the conversation of the other tenant and were answered. */
  readonly answeredForOther: unknown[]
  readonly notCalled: string[]
  readonly answered: number
}

/** Calls everything that a service of one tenant offers with ids of the other one. */
export async function attackAsService(memory: RemoteMemory, tenants: TwoTenants): Promise<Attacked> {
  const call = remoteProcedures(memory)
  const [leaks, answeredForOther, notCalled]: [unknown[], unknown[], string[]] = [[], [], []]
  let answered = 0
  const attack = async (name: string, input: unknown, ask: () => Promise<unknown>): Promise<void> => {
    try {
      const answer = await ask()
      const said = isIterable(answer) ? await Array.fromAsync(answer) : answer
      answered += 1
      if (leaked(said).length > 0) leaks.push({ name, input, said })
      if (namesConversation(input, tenants.other)) answeredForOther.push({ name, input, said })
    } catch (error) {
      // A stream hands errors on as they cross a wire.
      const isTyped = error instanceof LcmError || (error instanceof ORPCError && error.code === 'LCM')
      if (!isTyped || leaked(error).length > 0) leaks.push({ name, input, error })
    }
  }
  for (const procedure of attackedProcedures()) {
    const inputs = attacksOn(procedure, tenants)
    if (inputs.length === 0) notCalled.push(procedure.name)
    for (const input of inputs) await attack(procedure.name, input, () => call(procedure.name, input, never))
  }
  const message = { role: 'user', content: 'The gull asks about the heron.', id: 'm1', createdAtMs: 1 }
  for (const name of Object.keys(hostCalls) as HostCallName[]) {
    for (const conversationId of [tenants.other, tenants.own]) {
      const extra = name === 'ingest' ? { messages: [message] } : name === 'recall' ? { query: OTHER.guessed } : {}
      const input = { conversationId, ...extra }
      await attack(name, input, () => memory.call(name, input, never))
    }
  }
  await memory.close()
  return { leaks, answeredForOther, notCalled, answered }
}

const isIterable = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer

function namesConversation(input: unknown, id: number): boolean {
  const asked = (input ?? {}) as { conversationId?: unknown; conversationIds?: unknown }
  return asked.conversationId === id || (Array.isArray(asked.conversationIds) && asked.conversationIds[0] === id)
}

/** Procedures that run until they are ended, and do not answer with what a memory holds. */
const ENDLESS = ['events']

const attackedProcedures = (): Procedure[] => procedures().filter(({ name }) => !ENDLESS.includes(name))
