import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compare } from '../builders/coverage.ts'
import { findings } from '../builders/findings.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { sentWindow } from '../builders/sent-window.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { windowOf } from '../builders/transcript-rows.ts'
import { FIELD_DATA } from './field-data.ts'

const CASES = join(FIELD_DATA, 'cases', '2026-11')

/** Small transcripts that were made after public reports of a fault, copied, with what is right for each. */
function reported(name: string): { readonly folder: string; readonly right: Readonly<Record<string, unknown>> } {
  const folder = join(temporaryFolder(), name)
  cpSync(join(CASES, name, 'input'), folder, { recursive: true })
  return { folder, right: JSON.parse(readFileSync(join(CASES, name, 'expected.json'), 'utf8')).right }
}

const column = ({ db }: TestMemory, sql: string): unknown[] => db.column(sql)
const summaries = (memory: TestMemory) => column(memory, 'SELECT content FROM summaries')
const runs = (memory: TestMemory, mode: string): number =>
  memory.db.value<number>('SELECT count(*) FROM compaction_runs WHERE mode = :mode', { mode }) ?? 0

/** The texts and calls of a window as the cases write them: who speaks, and what the program said, is left out. */
const plain = (texts: readonly string[]): string[] =>
  texts.map((text) => text.replace(/ \(injected\)$/, '').replace(/^(?:user|assistant|summary): /, ''))

describe('the transcripts of public reports', () => {
  it('give both compactions when two boundaries have one id, and the window begins with the second', async () => {
    const { folder, right } = reported('claude-boundary-uuid-twice')
    using memory = buildMemory()
    const { files } = await runImport(memory.db, [folder])
    expect(files).toMatchObject([{ compactions: right.compactions, skippedCount: 0 }])
    const { context, texts } = sentWindow(memory)
    expect(texts.slice(1)).toEqual((right.window as string[]).slice(1))
    expect(context.items.map(({ messages }) => messages)).toEqual([6, 1, 1])
    expect(texts[0]).toContain(String(summaries(memory).at(-1)))
    expect(runs(memory, 'prune')).toBe(0)
  })

  it('give up nothing when a child is written before its parent', async () => {
    const { folder, right: all } = reported('claude-child-before-parent')
    for (const [name, one] of Object.entries(all)) {
      using memory = buildMemory()
      await runImport(memory.db, [join(folder, name)])
      const right = plain((one as { window: string[] }).window).map((text) => text.replace(/^call .*$/, ''))
      expect([name, plain(windowOf(memory).map((item) => item.replace(/^tool: /, '')))]).toEqual([name, right])
      expect([name, runs(memory, 'prune')]).toEqual([name, 0])
      expect(memory.db.value('SELECT count(*) FROM conversations')).toBe(1)
      expect(await findings(memory.path)).toEqual([])
    }
  })

  it('give a fork of Codex the window that it sees, in any order of import, with every message once', async () => {
    const { folder, right } = reported('codex-fork-window')
    const [fork, parent] = ['rollout-fork.jsonl', 'rollout-parent.jsonl'].map((name) => join(folder, name))
    for (const imports of [[[folder]], [[fork], [parent]], [[parent], [fork]]]) {
      using memory = buildMemory()
      for (const paths of imports) await runImport(memory.db, paths as string[])
      expect(memory.db.value('SELECT count(DISTINCT content) FROM messages')).toBe(right.distinctMessages)
      expect(memory.db.value('SELECT count(*) FROM messages')).toBe(right.distinctMessages)
      type Fork = { readonly id: number; readonly session: string }
      const [child] = memory.db.all<Fork>(
        'SELECT conversation_id AS id, session_id AS session FROM conversations WHERE parent_conversation_id IS NOT NULL',
      )
      expect(child !== undefined).toBe(right.forkNamesParent)
      expect(sentWindow(memory, child?.session).texts).toEqual(right.windowOfFork)
      expect(await compare(memory.path, fork as string, { conversationId: child?.id ?? 0 })).toMatchObject({ ok: true })
    }
  })

  it('count branches that were given up in no window, and send nothing of them', async () => {
    const { folder, right } = reported('given-up-branch-in-payload')
    for (const name of readdirSync(folder)) {
      using memory = buildMemory()
      await runImport(memory.db, [join(folder, name)])
      const { context, texts } = sentWindow(memory)
      expect([name, texts.filter((text) => text.includes('given up'))]).toEqual([name, []])
      expect([name, runs(memory, 'prune')]).toEqual([name, 1])
      const one = right[name] as { readonly tokens: number; readonly payloadTexts: string[] } | undefined
      if (one) expect([name, context.tokens, texts]).toEqual([name, one.tokens, one.payloadTexts])
    }
  })

  it('make no message of an entry without one, and name each line that was left out', async () => {
    const { folder, right } = reported('openclaw-malformed-entries')
    using memory = buildMemory()
    const { files, added } = await runImport(memory.db, [folder])
    expect(added).toBe(right.messages)
    const skipped = right.skipped as { readonly line: number; readonly why: string }[]
    expect(files[0]?.skipped.map(({ line }) => line)).toEqual(skipped.map(({ line }) => line))
    const told = {
      'no message': /without a message/,
      'unknown type': /unknown type/,
      'cut off': /cut off|not valid JSON/,
    }
    for (const [index, { why }] of skipped.entries())
      expect(files[0]?.skipped[index]?.reason).toMatch(told[why as keyof typeof told])
    expect(column(memory, "SELECT content FROM messages WHERE content = ''")).toEqual([])
  })

  it("give the sessions of opencode's old folder and of its database, each once", async () => {
    const { folder, right } = reported('opencode-both-stores')
    using memory = buildMemory()
    const { added } = await runImport(memory.db, [folder])
    expect(added).toBe(right.messages)
    expect(column(memory, 'SELECT title FROM conversations ORDER BY title')).toEqual(right.sessions)
  })

  it('keep what follows an entry without a message that a compaction of Pi names as kept', async () => {
    const { folder, right } = reported('pi-kept-from-metadata')
    const [summary, ...kept] = plain(right.window as string[])
    for (const name of readdirSync(folder)) {
      using memory = buildMemory()
      await runImport(memory.db, [join(folder, name)])
      const { texts } = sentWindow(memory)
      expect([name, texts.slice(-3)]).toEqual([name, kept])
      if (name !== 'label') continue
      expect(texts[0]).toContain(summary)
      const covered = 'SELECT content FROM summary_messages JOIN messages USING (message_id) ORDER BY ordinal'
      expect(column(memory, covered).slice(0, 2)).toEqual(right.summaryCovers)
    }
  })

  it('are read as Qwen Code with all their texts, and not as Claude Code', async () => {
    const { folder, right } = reported('qwen-read-as-claude-code')
    using memory = buildMemory()
    const { files } = await runImport(memory.db, [folder])
    expect(files).toMatchObject([{ format: 'qwen-code', skippedCount: 0, error: null }])
    const texts = column(memory, 'SELECT content FROM messages ORDER BY seq')
    for (const text of right.texts as string[]) expect(texts).toContain(text)
  })
})

it('every reported case is held by a test', () => {
  const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'))
  const text = tests.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n')
  const names = readdirSync(CASES, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []))
  // Broken chains have a test of their own, which reads its case by its path.
  expect(names.filter((name) => !text.includes(`'${name}'`) && name !== 'claude-phantom-parent')).toEqual([])
})
