import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { buildMemory } from '#test/builders/memory.ts'
import { BASH_OUTPUT, SERVER_LOG } from '#test/builders/systems/small-story.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { copyInto } from '#test/systems/foreign-files.ts'
import { lcmHere as runLcm } from './lcm.ts'

const SECRET = `sk-${'a1B2'.repeat(8)}`

/** Two leaves under one node in the window, and a message that says what must not leave the machine. */
function memory(): string {
  const built = buildMemory()
  const conversation = built.conversation()
  const messages = [
    ...built.messages(conversation, 8),
    built.message(conversation, `See /home/ada/notes.txt, ada@example.com\n\`\`\`\n# ${SECRET}\n\`\`\``),
  ]
  const leaves = [messages.slice(0, 4), messages.slice(4, 8)].map((some) => built.leaf(conversation, some))
  built.condensed(conversation, leaves)
  onTestFinished(() => built.close())
  return built.path
}

describe('lcm export', () => {
  it('prints one JSON document with every message, summary and link', async () => {
    const db = memory()
    const { conversations } = JSON.parse(
      (await runLcm(['export', '--db', db, '--format', 'json', '--json'])).stdout,
    ) as {
      conversations: { messages: { id: string }[]; summaries: { id: string; sources: string[] }[]; window: unknown[] }[]
    }
    const [only] = conversations
    expect(only?.messages).toHaveLength(9)
    expect(only?.summaries.map(({ sources }) => sources.length)).toEqual([2, 4, 4])
    expect(only?.window).toHaveLength(2)
  })

  it.each(['json', 'markdown', 'html', 'dot'])('prints on standard output what -o writes as %s', async (format) => {
    const db = memory()
    const to = join(temporaryFolder(), 'out')
    await runLcm(['export', '--db', db, '--format', format, '-o', to])
    const said = JSON.parse((await runLcm(['export', '--db', db, '--format', format, '--json'])).stdout)
    const file = readFileSync(to, 'utf8')
    expect(said).toEqual(format === 'json' ? JSON.parse(file) : { format, document: file })
    expect((await runLcm(['export', '--db', db, '--format', format])).stdout).toBe(file)
  })

  it('prints nothing of a document that cannot be read to its end', async () => {
    const built = buildMemory()
    built.message(built.conversation(), 'sound')
    built.message(built.conversation(), 'x'.repeat(500_000))
    built.db.close()
    const bytes = readFileSync(built.path)
    const middle = bytes.indexOf('x'.repeat(4000)) + 100_000
    // The next page of a long text, and so on for ever.
    writeFileSync(built.path, bytes.fill(0xff, middle, middle + 100_000))
    const ran = await runLcm(['export', '--db', built.path, '--format', 'json', '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'file_corrupt' } })
    expect([ran.code, (await runLcm(['export', '--db', built.path, '--format', 'json'])).stdout]).toEqual([5, ''])
  })

  it('writes Markdown in which no message can end its own block', async () => {
    const to = join(temporaryFolder(), 'out.md')
    const ran = await runLcm(['export', '--db', memory(), '--format', 'markdown', '-o', to, '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ path: to, format: 'markdown', conversations: 1, sanitized: false })
    const text = readFileSync(to, 'utf8')
    // The fence is longer than the one in the message.
    expect(text).toContain('````\nSee /home/ada/notes.txt')
    expect(text).toContain(SECRET)
  })

  it('writes a page of HTML in which every source is a link, and no text can add markup', async () => {
    const built = buildMemory()
    const conversation = built.conversation()
    const hostile = '</pre></article><script>alert(1)</script><img src=x onerror=alert(2)> & "quoted" \u0000\ud800'
    const messages = [built.message(conversation, hostile), ...built.messages(conversation, 3)]
    const leaf = built.leaf(conversation, messages.slice(0, 2), { content: hostile })
    onTestFinished(() => built.close())
    const { stdout } = await runLcm(['export', '--db', built.path, '--format', 'html'])
    expect(stdout).toContain('&lt;/pre&gt;&lt;/article&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img')
    // The only script is the page's own, and the policy names its hash and that of the style.
    expect(stdout.match(/<(?:script|img)/g)).toEqual(['<script'])
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(stdout) ?? []
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(stdout) ?? []
    const hash = (text: string) => createHash('sha256').update(text).digest('base64')
    expect(stdout).toContain(
      `content="default-src 'none'; style-src 'sha256-${hash(style)}'; script-src 'sha256-${hash(script)}'; base-uri 'none'; form-action 'none'"`,
    )
    expect(stdout).not.toMatch(/<[^>]* style=/)
    for (const tag of ['article', 'details', 'pre', 'svg', 'section']) {
      const count = (pattern: RegExp) => stdout.match(pattern)?.length ?? 0
      expect([tag, count(new RegExp(`<${tag}[ >]`, 'g'))]).toEqual([tag, count(new RegExp(`</${tag}>`, 'g'))])
    }
    const ids = new Set([...stdout.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const links = [...stdout.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => decodeURIComponent(id))
    expect(ids).toEqual(new Set([leaf, ...messages.map((id) => `msg_${id}`)]))
    expect(links.filter((id) => !ids.has(id))).toEqual([])
    expect(links).toContain('msg_1')
  })

  it.each(['markdown', 'json', 'html', 'ledger'])(
    'leaves keys, addresses and paths out of %s when asked',
    async (format) => {
      const to = join(temporaryFolder(), 'out')
      const ran = await runLcm(['export', '--db', memory(), '--format', format, '--sanitize', '-o', to])
      expect(ran.code).toBe(0)
      const text = readFileSync(to, 'utf8')
      for (const secret of [SECRET, '/home/ada', 'ada@example.com']) expect(text).not.toContain(secret)
      expect(text).toContain('[key]')
      if (format !== 'ledger') return
      const verified = await runLcm(['ledger', 'verify', to, '--json'])
      expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true })
    },
  )

  it('replaces every text by its length and hash when asked', async () => {
    const ran = await runLcm(['export', '--db', memory(), '--format', 'json', '--hash-texts'])
    expect(ran.stdout).not.toContain('notes')
    expect(ran.stdout).toContain('characters, sha256')
  })

  it.each([
    ['mermaid', /^flowchart TD\n/, ' --> '],
    ['dot', /^digraph memory \{\n/, ' -> '],
  ])('draws the lineage as %s', async (format, begins, arrow) => {
    const { stdout } = await runLcm(['export', '--db', memory(), '--format', format])
    expect(stdout).toMatch(begins)
    expect(stdout.split(arrow)).toHaveLength(3)
  })

  it('overwrites no existing file, and never the memory', async () => {
    const db = memory()
    const to = join(temporaryFolder(), 'there')
    writeFileSync(to, 'mine')
    for (const path of [to, db]) {
      const ran = await runLcm(['export', '--db', db, '--format', 'json', '-o', path])
      expect(ran.code).toBe(2)
    }
    expect(readFileSync(to, 'utf8')).toBe('mine')
    expect((await runLcm(['export', '--db', db, '--format', 'dot', '-o', db, '--force'])).code).toBe(2)
    expect((await runLcm(['export', '--db', db, '--format', 'dot', '-o', to, '--force'])).code).toBe(0)
  })
})

describe('lcm files and lcm file', () => {
  const { id: FILE, text } = BASH_OUTPUT
  const bytes = Buffer.byteLength(text)

  function stored(): { db: string; file: string } {
    const folder = temporaryFolder()
    const db = copyInto(folder, join(FIXTURES, 'lossless-claw/small.db'))
    mkdirSync(join(folder, 'lcm-files/1'), { recursive: true })
    const file = join(folder, `lcm-files/1/${FILE}.txt`)
    cpSync(join(FIXTURES, `lossless-claw/lcm-files/1/${FILE}.txt`), file)
    return { db, file }
  }

  it('list the contents that were taken out of messages', async () => {
    const { files } = JSON.parse((await runLcm(['files', '--db', stored().db, '--json'])).stdout) as {
      files: { id: string }[]
    }
    expect(files.map(({ id }) => id).toSorted()).toEqual([SERVER_LOG.id, FILE].toSorted())
  })

  it('print content and exploration summary, up to a limit', async () => {
    const { db, file } = stored()
    const ran = await runLcm(['file', FILE, '--db', db, '--json', '--max-bytes', '10'])
    const content = readFileSync(file, 'utf8').slice(0, 10)
    expect(JSON.parse(ran.stdout)).toMatchObject({ id: FILE, content, isCut: true, bytes, bytesOnDisk: bytes })
    expect(ran.stdout).toContain(`Text of ${bytes} characters`)
  })

  it('follow no link out of the folder of files, and no path that was not allowed', async () => {
    const { db, file } = stored()
    unlinkSync(file)
    const elsewhere = join(temporaryFolder(), `${FILE}.txt`)
    writeFileSync(elsewhere, 'from elsewhere')
    symlinkSync(elsewhere, file)
    const ran = await runLcm(['file', FILE, '--db', db, '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ content: null, path: null })
    expect(ran.stdout).not.toContain('from elsewhere')
  })

  it('refuse an id that is no file', async () => {
    expect((await runLcm(['file', 'msg_1', '--db', stored().db])).code).toBe(1)
  })
})

describe('lcm metrics', () => {
  it('counts nothing that did not happen: stored summaries and runs of others are no work of this program', async () => {
    const { stdout } = await runLcm(['metrics', '--db', memory()])
    expect(stdout).toContain('lcm_summaries_created_total{kind="leaf"} 0\n')
    expect(stdout).toContain('lcm_compaction_runs_total{outcome="target_reached",reason="manual"} 0\n')
    expect(stdout).toContain('lcm_search_latency_ms_count 0\n')
    expect(stdout).toContain('lcm_integrity_scans_total 1\n')
    expect(stdout).toMatch(/^lcm_context_tokens_total\{conversation_id="1"\} \d+$/m)
    expect(stdout).toMatch(/^lcm_integrity_failures_total\{check="\w+",severity="error"\} \d+$/m)
  })

  it('counts a compaction once, with its summaries, and goes on counting after one of them is dissolved', async () => {
    const built = buildMemory()
    built.messages(built.conversation(), 40)
    onTestFinished(() => built.close())
    const { path } = built
    const sets = ['freshTailCount=0', 'minMessagesToCompact=0', 'leafChunkTokens=100', 'leafTargetTokens=20']
    const compact = ['compact', '--db', path, '--conversation', '1', ...sets.flatMap((set) => ['--set', set]), '--json']
    const { created } = JSON.parse((await runLcm(compact)).stdout) as { created: { id: string; kind: string }[] }
    const leaves = created.filter(({ kind }) => kind === 'leaf').length
    const figures = [`lcm_summaries_created_total{kind="leaf"} ${leaves}\n`, `reason="manual"} 1\n`]
    const before = (await runLcm(['metrics', '--db', path, '--no-integrity'])).stdout
    for (const figure of figures) expect(before).toContain(figure)
    await runLcm(['expand', created[0]?.id ?? '', '--db', path])
    await runLcm(['grep', 'the', '--db', path])
    await runLcm(['dissolve', created[0]?.id ?? '', '--db', path])
    const after = (await runLcm(['metrics', '--db', path, '--no-integrity'])).stdout
    for (const figure of [...figures, 'lcm_expand_latency_ms_count 1\n', 'lcm_search_latency_ms_count 1\n']) {
      expect(after).toContain(figure)
    }
  })
})

describe('lcm schema', () => {
  it('names every command with its options, and every procedure with its schemas', async () => {
    const schema = JSON.parse((await runLcm(['schema', '--json'])).stdout) as {
      commands: { name: string; options: { name: string }[] }[]
      procedures: { name: string; input: { properties?: object } | null }[]
    }
    const grep = schema.commands.find(({ name }) => name === 'grep')
    expect(grep?.options.map(({ name }) => name)).toContain('within')
    const procedure = schema.procedures.find(({ name }) => name === 'retrieval.grep')
    expect(Object.keys(procedure?.input?.properties ?? {})).toContain('query')
  })
})
