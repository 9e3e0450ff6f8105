import type { NewMessage, NewPart } from '#core/ingest/new-message.ts'
import { Random } from './random.ts'

export type HistorySpec = {
  readonly seed: number
  readonly messages: number
  /** Default 2026-03-02T09:00:00Z. */
  readonly startMs?: number
  /** Put before every external id, so that several stories can share a conversation. */
  readonly idPrefix?: string
  /** The number of names of modules, actions and things in the story, at most 29. By default 10. */
  readonly words?: number
}

const modules = (
  'billing ledger session webhook invoice router cache export search retry ingest mailer audit quota tenant region ' +
  'payroll shipping catalog pricing coupon loyalty fraud dispute payout treasury vault signing locale media'
).split(' ')
const verbs = (
  'validate load merge schedule parse flush resolve encode acquire publish hydrate split rotate replay sweep drain ' +
  'collect verify revoke settle escape clamp batch fetch pin trim widen freeze index stamp'
).split(' ')
const nouns = (
  'Payment Cursor Batch Token Snapshot Refund Quota Policy Digest Lease Shard Ledger Receipt Mandate Voucher Window ' +
  'Bucket Beacon Manifest Tariff Envelope Journal Replica Segment Trigger Variant Waiver Yield Zone'
).split(' ')

/** A random source with the vocabulary of a story. */
class Teller extends Random {
  readonly modules: readonly string[]
  readonly verbs: readonly string[]
  readonly nouns: readonly string[]

  /** @param words how many of each kind are used; with few of them each is common */
  constructor(seed: number, words: number) {
    super(seed)
    this.modules = modules.slice(0, words)
    this.verbs = verbs.slice(0, words)
    this.nouns = nouns.slice(0, words)
  }
}

const types = ['TypeError', 'RangeError', 'TimeoutError', 'ConstraintError', 'ECONNRESET', 'SQLITE_BUSY']
const asks = [
  (r: Teller) => `Why does ${path(r)} fail since this morning? The pipeline says ${error(r)}.`,
  (r: Teller) =>
    `Please make ${call(r)} idempotent; a second delivery must not ${r.pick(r.verbs)} the ${r.pick(r.nouns)} again.`,
  (r: Teller) => `できれば ${path(r)} のエラー処理を見直してください。${r.pick(r.nouns)} が二重に作成されます。`,
  (r: Teller) => `Können wir in ${path(r)} die Prüfung für die Größe von ${r.pick(r.nouns)} überspringen?`,
  (r: Teller) => `请检查 ${call(r)} 的返回值,日志里出现了 ${error(r)}。`,
  (r: Teller) => `لماذا لا تعمل ${call(r)} بعد التحديث؟ الملف هو ${path(r)}`,
  (r: Teller) => `ship it 🚀 but first rename ${call(r)}, the name lies 🙃`,
  (r: Teller) => `ตรวจสอบไฟล์ ${path(r)} อีกครั้งได้ไหม`,
  (r: Teller) => `Почему тест ${r.pick(r.verbs)}${r.pick(r.nouns)} нестабилен? Падает раз в ${r.int(3, 40)} прогонов.`,
]
const thoughts = [
  (r: Teller) =>
    `The lock in ${path(r)} is taken before ${call(r)} returns, so both workers may see the old ${r.pick(r.nouns)}.`,
  (r: Teller) =>
    `${error(r)} only happens when the ${r.pick(r.modules)} queue holds more than ${r.int(10, 900)} entries.`,
  (r: Teller) => `Two candidates: a stale ${r.pick(r.nouns)} or a missing index. I will look at ${path(r)} first.`,
  (r: Teller) =>
    `We decided against retrying inside ${call(r)}: the caller already does, and ${r.int(2, 9)} retries multiply.`,
  (r: Teller) => `That explains the ${r.int(20, 4000)} ms spike at ${r.int(0, 24)}:${String(r.int(10, 60))}.`,
]

function path(r: Teller): string {
  return `src/${r.pick(r.modules)}/${r.pick(r.verbs)}-${r.pick(r.nouns).toLowerCase()}${r.chance(0.3) ? '.test' : ''}.ts`
}

function call(r: Teller): string {
  return `${r.pick(r.verbs)}${r.pick(r.nouns)}()`
}

function error(r: Teller): string {
  return `${r.pick(types)}: ${r.pick(r.nouns)} ${r.int(1000, 99_999)} is ${r.pick(['gone', 'locked', 'not unique', 'undefined'])}`
}

function code(r: Teller, lines: number): string {
  const rows = [
    `export async function ${r.pick(r.verbs)}${r.pick(r.nouns)}(input: ${r.pick(r.nouns)}): Promise<void> {`,
  ]
  for (let line = 0; line < lines; line += 1) {
    rows.push(
      r.chance(0.3)
        ? `  if (input.${r.pick(r.verbs)}dAt > ${r.int(1, 9999)}) throw new ${r.pick(types.slice(0, 4))}('${r.pick(r.nouns)} ${r.int(1, 99)}')`
        : `  const ${r.pick(r.nouns).toLowerCase()}${line} = await ${r.pick(r.modules)}.${r.pick(r.verbs)}(input, ${r.int(1, 500)})`,
    )
  }
  return [...rows, '}'].join('\n')
}

function log(r: Teller, lines: number): string {
  return Array.from({ length: lines }, (_, line) => {
    const at = `09:${String(line % 60).padStart(2, '0')}:${String(r.int(10, 60))}.${r.int(100, 999)}`
    return `${at} ${r.pick(['INFO', 'INFO', 'WARN', 'DEBUG'])} ${r.pick(r.modules)}: ${r.pick(r.verbs)} ${r.pick(r.nouns)} ${r.int(1000, 99_999)} in ${r.int(1, 900)} ms`
  }).join('\n')
}

const sentences = (r: Teller, count: number): string =>
  Array.from({ length: count }, () => r.pick(thoughts)(r)).join(' ')

type Step = { role: NewMessage['role']; content: string; parts: readonly NewPart[] }

function* turn(r: Teller, callId: () => string): Generator<Step> {
  const ask = r.pick(asks)(r)
  yield { role: 'user', content: ask, parts: [{ type: 'text', text: ask }] }
  const rounds = r.int(1, 6)
  for (let round = 0; round < rounds; round += 1) {
    const id = callId()
    const said = sentences(r, r.int(1, 4))
    const tool = r.pick(['read', 'bash', 'edit', 'grep'])
    const input =
      tool === 'edit'
        ? { path: path(r), old: call(r), new: code(r, 3) }
        : tool === 'bash'
          ? { command: `npm test -- ${path(r)} --bail ${r.int(1, 9)}` }
          : tool === 'grep'
            ? { pattern: call(r), path: `src/${r.pick(r.modules)}` }
            : { path: path(r), offset: r.int(1, 400) }
    yield {
      role: 'assistant',
      content: said,
      parts: [
        ...(r.chance(0.4) ? [{ type: 'reasoning', text: sentences(r, 2) } as const] : []),
        { type: 'text', text: said },
        { type: 'tool', toolCallId: id, toolName: tool, toolInput: JSON.stringify(input) },
      ],
    }
    const failed = r.chance(0.15)
    const result = failed
      ? `${error(r)}\n    at ${call(r)} (${path(r)}:${r.int(1, 400)}:${r.int(1, 80)})\n    at ${call(r)} (${path(r)}:${r.int(1, 400)}:7)`
      : tool === 'bash'
        ? log(r, r.int(3, 40))
        : code(r, r.int(4, 30))
    yield {
      role: 'tool',
      content: result,
      parts: [
        {
          type: 'tool',
          toolCallId: id,
          toolName: tool,
          toolStatus: failed ? 'error' : 'completed',
          toolOutput: result,
        },
      ],
    }
  }
  const summary = sentences(r, r.int(1, 5))
  yield { role: 'assistant', content: summary, parts: [{ type: 'text', text: summary }] }
}

/** An agent session, message by message: questions in several scripts, tool calls with results, failures, code. */
export function* historyStream(spec: HistorySpec): Generator<NewMessage> {
  const random = new Teller(spec.seed, spec.words ?? 10)
  const prefix = spec.idPrefix ?? ''
  let atMs = spec.startMs ?? Date.UTC(2026, 2, 2, 9)
  let calls = 0
  let made = 0
  const callId = (): string => {
    calls += 1
    return `${prefix}call_${calls}`
  }
  while (made < spec.messages) {
    for (const step of turn(random, callId)) {
      if (made === spec.messages) return
      atMs += step.role === 'user' ? random.int(20_000, 900_000) : random.int(400, 30_000)
      yield { externalId: `${prefix}m${made}`, createdAtMs: atMs, ...step }
      made += 1
    }
  }
}

/** `historyStream` as a list. */
export const generateHistory = (spec: HistorySpec): NewMessage[] => [...historyStream(spec)]
