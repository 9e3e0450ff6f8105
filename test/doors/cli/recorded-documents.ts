import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { sha256 } from '#test/recorded/canonical.ts'
import { lcmHere } from './lcm.ts'

/** What a command line printed, in the form in which it is recorded: exit code, hash of the document, its first fields. */
export type Record = Readonly<{ [line: string]: string }>

type Document = { readonly [key: string]: unknown }

/** Fields that say how long something took or when a file was written, and hashes over such. */
const MEASURED = new Set([
  'tookMs',
  'durationMs',
  'modifiedAt',
  'openedAt',
  'previewId',
  'contentHash',
  'byConversation',
])
const RANDOM = /\b(?:run_[\w-]+|grant_[\w-]+|[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22})\b/g
/** Names of files write a time without hyphens and colons. */
const TIME = /\b(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)\.?(\d{3})?Z/g
const HASH_LENGTH = 24
const SHOWN = join(import.meta.dirname, '../../../test-results/recorded-documents')
const isShown = process.env.LCM_TEST_RECORD === 'show'

/** Runs command lines over a copy of one memory and writes down what each printed. */
export class DocumentRecorder {
  readonly folder = temporaryFolder()
  readonly record: { [line: string]: string } = {}
  readonly #name: string
  readonly #startMs = Date.now()

  constructor(name: string) {
    this.#name = name
    if (isShown) rmSync(this.#shownPath(''), { recursive: true, force: true })
  }

  /** Copies a file with what lies beside it into the folder of this recorder. */
  copy(source: string, name: string): string {
    const path = join(this.folder, name)
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(`${source}${suffix}`)) cpSync(`${source}${suffix}`, `${path}${suffix}`)
    }
    return path
  }

  /** Runs a command with --json and records its document. */
  async ask(...args: readonly string[]): Promise<Document> {
    const { code, stdout } = await lcmHere([...args, '--json'])
    const document = JSON.parse(stdout) as Document
    const line = this.#stable(args.join(' '))
    const { bytes: _, ...withoutSize } = document
    // A ledger names the process that wrote it, whose number is sometimes longer.
    const text = JSON.stringify(this.#inOrder(/\bledger\b/.test(line) ? withoutSize : document))
    if (line in this.record) throw new Error(`${line} is asked twice`)
    this.record[line] = `${code} ${sha256(text).slice(0, HASH_LENGTH)} ${Object.keys(document).slice(0, 8).join(' ')}`
    if (isShown) this.#show(line, document)
    return document
  }

  #inOrder(value: unknown): unknown {
    if (typeof value === 'string') return this.#stable(value)
    if (Array.isArray(value)) return value.map((one) => this.#inOrder(one))
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value)
      .filter(([key]) => !MEASURED.has(key))
      .sort(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(entries.map(([key, one]) => [this.#stable(key), this.#inOrder(one)]))
  }

  /** Takes the folder, random ids and times of now out of a text. */
  #stable(text: string): string {
    return text
      .replaceAll(this.folder, '<folder>')
      .replace(RANDOM, '<id>')
      .replace(TIME, (time, ...parts: string[]) => (isSince(parts, this.#startMs) ? '<now>' : time))
  }

  #show(line: string, document: Document): void {
    const path = this.#shownPath(`${line.replace(/[^\w.-]+/g, '_').slice(0, 150)}.json`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${JSON.stringify(this.#inOrder(document), null, 1)}\n`)
  }

  #shownPath(name: string): string {
    return join(SHOWN, this.#name.replaceAll('/', '_'), name)
  }
}

function isSince([year, month, day, hour, minute, second]: readonly string[], startMs: number): boolean {
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) >= startMs - 1000
}

type Tree = { readonly roots: readonly { readonly id: string; readonly depth: number }[] }
type Stats = { readonly perConversation: readonly { readonly conversationId: number; readonly messages: number }[] }
type Hits = { readonly hits: readonly { readonly id: string }[]; readonly nextCursor: string | null }

/** Asks every reading command about a memory. */
export async function askReading(recorder: DocumentRecorder, path: string): Promise<void> {
  const ask = (...args: readonly string[]) => recorder.ask(...args, '--db', path)
  const { perConversation = [] } = (await ask('stats')) as Partial<Stats>
  await ask('storage')
  await ask('integrity')
  await ask('repair')
  await ask('repair', '--format', 'sql')
  await ask('ledger', 'status')
  await ask('ledger', 'verify')
  await ask('backups')
  await ask('files')
  for (const format of ['markdown', 'json', 'html', 'mermaid', 'dot']) await ask('export', '--format', format)
  await ask('export', '--format', 'json', '--sanitize')
  await ask('export', '--format', 'markdown', '--hash-texts')
  await askSearches(recorder, path)
  const [largest] = perConversation.toSorted((a, b) => b.messages - a.messages)
  if (largest === undefined) return
  await askConversation(recorder, path, largest.conversationId)
}

async function askSearches(recorder: DocumentRecorder, path: string): Promise<void> {
  const grep = async (...args: readonly string[]) =>
    (await recorder.ask('grep', ...args, '--db', path)) as Partial<Hits>
  const { nextCursor } = await grep('the', '--limit', '3')
  if (nextCursor) await grep('the', '--limit', '3', '--cursor', nextCursor)
  await grep('the', '--full', '--limit', '2')
  await grep('the', '--group-by', 'covering', '--limit', '20')
  for (const sort of ['newest', 'oldest', 'relevance']) await grep('test', '--sort', sort, '--limit', '5')
  for (const scope of ['messages', 'summaries', 'both', 'files']) await grep('a', '--mode', 'literal', '--scope', scope)
  for (const match of ['auto', 'all', 'any']) await grep('test file error', '--match', match, '--limit', '5')
  for (const state of ['kept', 'partly', 'dropped', 'changed', 'unknown']) {
    await grep('the', '--state', state, '--limit', '5')
  }
  await grep('err(or)?s?', '--mode', 'regex', '--limit', '5')
  await grep('the', '--role', 'user', '--role', 'tool', '--depth', '0', '--limit', '5')
  await grep('the', '--after', '2026-01-02', '--before', '2027-01-01T00:00:00Z', '--limit', '5')
}

async function askConversation(recorder: DocumentRecorder, path: string, id: number): Promise<void> {
  const here = ['--db', path, '--conversation', String(id)]
  const ask = (...args: readonly string[]) => recorder.ask(...args, '--db', path)
  await recorder.ask('integrity', ...here)
  await recorder.ask('files', ...here)
  await recorder.ask('export', '--format', 'markdown', ...here)
  await recorder.ask('context', ...here)
  await recorder.ask('context', '--budget', '1500', '--fresh-tail', '3', '--query', 'the test', ...here)
  for (const preset of ['spec', 'argentos', 'pi-lcm']) await recorder.ask('context', '--preset', preset, ...here)
  for (const provider of ['anthropic', 'openai']) await recorder.ask('context', '--render', provider, ...here)
  const plan = ['compact', '--plan', ...here]
  await recorder.ask(...plan)
  await recorder.ask(...plan, '--auto')
  for (const mode of ['leaf', 'condense', 'full']) await recorder.ask(...plan, '--mode', mode)
  await recorder.ask(...plan, '--mode', 'until-under', '--target', '2000', '--preset', 'lossless-claw')
  await recorder.ask(...plan, '--set', 'leafChunkTokens=900', '--set', 'fresh_tail_count=2')
  const found = (await recorder.ask('grep', 'the', '--limit', '20', ...here)) as Partial<Hits>
  const message = found.hits?.find((hit) => hit.id.startsWith('msg_'))?.id
  const { roots = [] } = (await recorder.ask('tree', ...here)) as Partial<Tree>
  const summary = roots.toSorted((a, b) => b.depth - a.depth)[0]?.id
  for (const one of [message, summary]) {
    if (one === undefined) continue
    await ask('describe', one)
    await ask('lineage', one)
  }
  if (message !== undefined) {
    await recorder.ask('context', '--at', message, ...here)
    await recorder.ask('context', '--diff', `${message}..now`, ...here)
    await recorder.ask('context', '--at', '2026-03-02T10:00:00Z', '--render', 'openai', ...here)
  }
  if (summary === undefined) return
  await ask('grep', 'the', '--within', summary, '--limit', '5')
  await ask('expand', summary)
  await ask('expand', summary, '--depth', '9', '--messages', '--token-cap', '2500')
  await ask('provenance', summary, '--from', '0', '--to', '400', '--limit', '2')
  await ask('expand-query', 'what failed in the test?', '--summary', summary, '--depth', '3', '--token-cap', '900')
  await recorder.ask('expand-query', 'the error', '--query', 'error', ...here)
  await ask('rewrite', summary, '--plan', '--target', '300')
  await ask('dissolve', summary, '--plan')
  await ask('transplant', summary, '--plan', '--to', String(id))
}

/** Asks every command that writes, each on a copy of its own of a native memory. */
export async function askWriting(recorder: DocumentRecorder, sample: string, transcript: string): Promise<void> {
  const ask = (...args: readonly string[]) => recorder.ask(...args)
  const fresh = (name: string): string => recorder.copy(sample, `${name}.db`)
  const at = (name: string): string => join(recorder.folder, name)
  await ask('import', transcript, '--db', at('imported.db'))
  await ask('import', transcript, '--db', at('imported.db'), '--window', 'agent')
  await ask('import', transcript, '--db', at('history.db'), '--window', 'history', '--format', 'claude-code')
  await ask('coverage', '--transcript', transcript, '--db', at('imported.db'), '--conversation', '1')
  await ask(
    'coverage',
    '--transcript',
    transcript,
    '--format',
    'claude-code',
    '--db',
    fresh('covered'),
    '--conversation',
    '1',
  )
  await ask('copy', '--from', fresh('copied'), '--to', at('copy.db'))
  await ask('salvage', '--from', fresh('salvaged'), '--to', at('saved.db'))
  const settings = ['--set', 'freshTailCount=4', '--set', 'leafChunkTokens=1200', '--set', 'minMessagesToCompact=1']
  await ask('compact', '--db', fresh('compacted'), '--conversation', '1', ...settings)
  await ask('compact', '--auto', '--db', fresh('automatic'), '--conversation', '1')
  const operated = fresh('operated')
  const { roots = [] } = (await ask('tree', '--db', operated, '--conversation', '1')) as Partial<Tree>
  const summary = roots.toSorted((a, b) => b.depth - a.depth)[0]?.id ?? ''
  await ask('rewrite', summary, '--db', operated)
  const dissolved = await ask('dissolve', summary, '--db', operated)
  await ask('undo', String(dissolved.backup), '--db', operated)
  await ask('repair', '--apply', 'all', '--db', operated)
  await ask('repair', '--plan', '-o', at('plan.md'), '--db', operated)
  await ask('export', '--format', 'json', '-o', at('sample.json'), '--db', operated)
  await ask('export', '--format', 'ledger', '-o', at('sample.jsonl'), '--db', operated)
  await ask('ledger', 'enable', at('kept.ledger'), '--db', operated)
  await ask('ledger', 'verify', '--db', operated)
  await ask('ledger', 'rebuild', at('kept.ledger'), '--to', at('rebuilt.db'))
  await ask('ledger', 'export', '-o', at('exported.ledger'), '--db', operated)
  await ask('ledger', 'disable', '--db', operated)
}
