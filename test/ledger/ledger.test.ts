import { createHash } from 'node:crypto'
import { closeSync, copyFileSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CompactInput } from '#core/contract/compaction.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { exportLedger } from '#core/ledger/export-ledger.ts'
import { type LedgerExtent, measureLedger, saveExtent } from '#core/ledger/ledger-extent.ts'
import { parseLine } from '#core/ledger/ledger-line.ts'
import { ledgerState } from '#core/ledger/ledger-permission.ts'
import { LedgerWriter } from '#core/ledger/ledger-writer.ts'
import { ledgerContentHash, rebuildMemory } from '#core/ledger/rebuild-memory.ts'
import { verifyLedger } from '#core/ledger/verify-ledger.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { runToEnd } from '#core/yielding.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { openHere, permissionOf } from '../builders/ledgers.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { say } from './kept-memory.ts'

const estimator = createTokenEstimator()
const signal = new AbortController().signal

function measured(ledger: string): LedgerExtent {
  const file = openSync(ledger, 'r')
  try {
    return measureLedger(file)
  } finally {
    closeSync(file)
  }
}

/** An open memory that keeps a ledger. */
async function kept(): Promise<{ lcm: Lcm; path: string; ledger: string }> {
  const path = join(temporaryFolder(), 'lcm.db')
  const ledger = join(dirname(path), 'lcm.events.jsonl')
  const db = openNative(path)
  new LedgerWriter(db, Date.now, permissionOf(path)).enable(ledger)
  db.close()
  return { lcm: await openHere(path), path, ledger }
}

const rebuild = (ledger: string, to = join(temporaryFolder(), 'again.db')) =>
  runToEnd(rebuildMemory({ ledger, to, estimator }, signal))
const verify = (ledger: string, lcm: Lcm | null = null) => runToEnd(verifyLedger(ledger, lcm?.read ?? null, signal))

describe('a kept ledger', () => {
  it('contains every message verbatim, each in a line of its own', async () => {
    const { lcm, ledger } = await kept()
    say(lcm, 's', ['one "quoted"\u2028line', 'zwei 🎈', 'result'])
    const events = readFileSync(ledger, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => parseLine(line))
    const messages = events.flatMap((event) => (typeof event === 'string' || event.kind === 'event' ? [] : [event]))
    expect(messages.map(({ kind, actor, content }) => [kind, actor, content])).toEqual([
      ['message', 'user', 'one "quoted"\u2028line'],
      ['message', 'assistant', 'zwei 🎈'],
      ['tool_result', 'tool', 'result'],
    ])
    expect(await verify(ledger, lcm)).toMatchObject({ ok: true, kinds: { message: 2, tool_result: 1 } })
    lcm.close()
  })

  it('rebuilds the same memory, with compactions, windows and runs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.nat(2),
            fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { minLength: 1, maxLength: 12 }),
          ),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        fc.boolean(),
        async (writes, isCompacted) => {
          const { lcm, ledger } = await kept()
          for (const [session, texts] of writes) say(lcm, `session ${session}`, texts)
          if (isCompacted) {
            const id = say(
              lcm,
              'long',
              Array.from({ length: 40 }, (_, index) => `Message ${index} about the lease. `.repeat(20)),
            )
            const input = CompactInput.parse({ conversationId: id, mode: 'full' })
            await runToEnd(lcm.compactionEngine().compact(input, signal))
          }
          const hash = ledgerContentHash(lcm.read)
          const again = await rebuild(ledger)
          expect(again.failures).toEqual([])
          expect(again.contentHash).toBe(hash)
          expect(await verify(ledger, lcm)).toMatchObject({ ok: true })
          lcm.close()
        },
      ),
      { numRuns: runs(12) },
    )
  })

  it('begins with what was in the memory before it was kept', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const before = await openLcm(path, { create: true })
    say(before, 's', ['early', 'bird'])
    before.close()
    const ledger = `${path}.events.jsonl`
    const db = openNative(path)
    const writer = new LedgerWriter(db, Date.now, permissionOf(path))
    writer.enable(ledger)
    writer.drain()
    db.close()
    using lcm = await openHere(path)
    expect((await rebuild(ledger)).contentHash).toBe(ledgerContentHash(lcm.read))
  })

  it('contains what a program wrote that knows of no ledger', async () => {
    const { lcm, path, ledger } = await kept()
    lcm.close()
    const plain = openNative(path)
    const store = new ConversationStore(plain, estimator, Date.now)
    store.append(store.ensureConversation({ importer: 'test', sessionId: 'x' }), [
      { externalId: null, role: 'user', content: 'unseen', createdAtMs: 1, parts: [] },
    ])
    expect(ledgerState(plain, permissionOf(path)).pending).toBeGreaterThan(0)
    plain.close()
    using later = await openHere(path)
    expect(ledgerState(later.read, permissionOf(path)).pending).toBe(0)
    expect((await rebuild(ledger)).contentHash).toBe(ledgerContentHash(later.read))
  })

  it('has times that never go back, even when the clock does', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    let now = 2_000_000_000_000
    const db = openNative(path)
    new LedgerWriter(db, () => now, permissionOf(path)).enable(`${path}.jsonl`)
    db.close()
    const lcm = await openHere(path, { clock: () => now })
    say(lcm, 's', ['one'])
    now -= 86_400_000
    say(lcm, 's', ['two'])
    lcm.close()
    expect((await verify(`${path}.jsonl`)).failures).toEqual([])
  })
})

describe('a failure while a ledger is written', () => {
  /** Every state that the two files can be left in: the memory as of one step, the ledger cut anywhere after it. */
  it('leaves memory and ledger so that the next opening makes them agree, at any instant', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), async (share, isMarked) => {
        const { lcm, path, ledger } = await kept()
        say(lcm, 's', ['first', 'second'])
        lcm.close()
        const [startBytes] = [readFileSync(ledger).length]
        // What the memory looks like when it was killed before the batch was taken out of the outbox.
        const plain = openNative(path)
        const store = new ConversationStore(plain, estimator, Date.now)
        const texts = ['third', 'third', 'fourth with\nlines']
        store.append(
          store.ensureConversation({ importer: 'test', sessionId: 's' }),
          texts.map((content) => ({ externalId: null, role: 'user' as const, content, createdAtMs: 5, parts: [] })),
        )
        if (isMarked) {
          plain.run(
            "INSERT INTO lcm_meta (key, value) SELECT 'ledger_batch', max(outbox_id) FROM ledger_outbox WHERE true ON CONFLICT (key) DO UPDATE SET value = excluded.value",
          )
        }
        plain.close()
        const killed = join(dirname(path), 'killed.db')
        copyFileSync(path, killed)
        // The run that was killed had appended some of it.
        const reopened = await openHere(path)
        reopened.close()
        const whole = readFileSync(ledger)
        const cut = isMarked ? startBytes + Math.round(share * (whole.length - startBytes)) : startBytes
        truncateSync(ledger, cut)
        copyFileSync(killed, path)
        using after = await openHere(path)
        expect(ledgerState(after.read, permissionOf(path)).pending).toBe(0)
        const report = await verify(ledger, after)
        expect(report.failures).toEqual([])
        expect((await rebuild(ledger)).contentHash).toBe(ledgerContentHash(after.read))
      }),
      { numRuns: runs(25) },
    )
  })

  it('loses nothing when the disk of the ledger failed, because committed rows wait', async () => {
    const { lcm, path, ledger } = await kept()
    say(lcm, 's', ['one'])
    lcm.close()
    const whole = readFileSync(ledger)
    truncateSync(ledger, 10)
    using other = await openHere(path)
    say(other, 's', ['two'])
    expect(ledgerState(other.read, permissionOf(path))).toMatchObject({ blocked: expect.stringContaining('cut off') })
    expect(ledgerState(other.read, permissionOf(path)).pending).toBeGreaterThan(0)
    writeFileSync(ledger, whole)
    say(other, 's', ['three'])
    expect(ledgerState(other.read, permissionOf(path))).toMatchObject({ pending: 0, blocked: null })
    expect((await rebuild(ledger)).contentHash).toBe(ledgerContentHash(other.read))
  })
})

describe('the verification of a ledger', () => {
  const tampered = async (change: (lines: string[]) => void): Promise<string[]> => {
    const { lcm, ledger } = await kept()
    say(lcm, 's', ['one', 'two', 'three'])
    lcm.close()
    const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n')
    change(lines)
    writeFileSync(ledger, `${lines.join('\n')}\n`)
    const report = await verify(ledger)
    expect(report.ok).toBe(false)
    return report.failures.map(({ line, check }) => `${line} ${check}`)
  }
  const edit = (line: string | undefined, change: (event: Record<string, unknown>) => void): string => {
    const event = JSON.parse(line ?? '{}') as Record<string, unknown>
    change(event)
    return JSON.stringify(event)
  }

  it('finds a changed text', async () => {
    expect(
      await tampered((lines) => {
        lines[0] = edit(lines[0], (event) => {
          event.content = 'forged'
        })
      }),
    ).toContain('1 ledger_hash')
  })
  /** Replaces a line as somebody would who knows the format: with the hash of its new content. */
  const forged = (line: string | undefined): string =>
    edit(line, (event) => {
      event.content = `#${String(event.content).slice(1)}`
      event.content_hash = createHash('sha256').update(String(event.content)).digest('hex')
    })

  it('finds a line that was removed, put in, or replaced with its new hash, wherever it stood', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(3), fc.constantFrom('remove', 'repeat', 'replace', 'swap'), async (at, how) => {
        const found = await tampered((lines) => {
          if (how === 'remove') lines.splice(at, 1)
          else if (how === 'repeat') lines.splice(at, 0, lines[at + 1] ?? '')
          else if (how === 'replace') lines[at] = forged(lines[at])
          else lines.splice(at, 2, lines[at + 1] ?? '', lines[at] ?? '')
        })
        expect(found).toContainEqual(expect.stringMatching(/^\d+ ledger_chain$/))
      }),
      { numRuns: runs(12) },
    )
  })
  it.each([
    ['cut off', (lines: string[]) => lines.splice(-1), 'ledger_behind'],
    ['replaced', (lines: string[]) => lines.push(forged(lines.pop())), 'ledger_chain'],
    ['followed by another', (lines: string[]) => lines.push(forged(lines.at(-1))), 'ledger_ahead'],
  ])(
    'finds with the memory that the end was %s, and claims nothing of the end without it',
    async (_what, change, check) => {
      const { lcm, ledger } = await kept()
      say(lcm, 's', ['one', 'two'])
      expect(await verify(ledger, lcm)).toMatchObject({ ok: true, isEndProved: true, unchained: 0 })
      const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n')
      change(lines)
      writeFileSync(ledger, `${lines.join('\n')}\n`)
      expect(await verify(ledger)).toMatchObject({ isEndProved: false })
      const report = await verify(ledger, lcm)
      expect(report).toMatchObject({ ok: false, isEndProved: false })
      expect(report.failures.map((failure) => failure.check)).toContain(check)
      lcm.close()
    },
  )
  it('goes on after lines of an older version, which named no others, and says how many they are', async () => {
    const { lcm, path, ledger } = await kept()
    say(lcm, 's', ['one', 'two'])
    lcm.close()
    const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n')
    const older = lines.map((line) =>
      edit(line, (event) => {
        delete (event.metadata as { lcm: { previous?: unknown } }).lcm.previous
      }),
    )
    writeFileSync(ledger, `${older.join('\n')}\n`)
    const db = openNative(path)
    db.transaction(() => saveExtent(db, measured(ledger)))
    db.close()
    using later = await openHere(path)
    say(later, 's', ['three'])
    expect(await verify(ledger, later)).toMatchObject({ ok: true, unchained: older.length, isEndProved: true })
    expect((await rebuild(ledger)).contentHash).toBe(ledgerContentHash(later.read))
  })
  it('says that the contents of large files are not in it', async () => {
    const { lcm, ledger } = await kept()
    say(lcm, 's', ['one'])
    const add = `INSERT INTO large_files (file_id, conversation_id, byte_size, storage_uri, created_at) VALUES (:id, 1, 7, '/x', 1)`
    lcm.requireWrite('test').run(add, { id: 'file_0000000000000001' })
    lcm.requireWrite('test').run(add, { id: 'file_0000000000000002' })
    lcm.requireWrite('test').run("DELETE FROM large_files WHERE file_id = 'file_0000000000000002'")
    expect(await verify(ledger, lcm)).toMatchObject({ ok: true, largeFiles: { count: 1, bytes: 7 } })
    expect(await rebuild(ledger)).toMatchObject({ ok: true, largeFiles: { count: 1, bytes: 7 } })
    lcm.close()
  })
  it('finds an event that is repeated', async () => {
    expect(await tampered((lines) => lines.push(lines[1] ?? ''))).toContain('6 ledger_duplicate_event')
  })
  it('finds a time that goes back', async () => {
    expect(
      await tampered((lines) => {
        lines[2] = edit(lines[2], (event) => {
          event.ts = '1000Z'
        })
      }),
    ).toContain('3 ledger_time_order')
  })
  it('finds a line that was cut off', async () => {
    expect(
      await tampered((lines) => {
        lines[1] = (lines[1] ?? '').slice(0, 50)
      }),
    ).toContain('2 malformed_json')
  })
  it('finds what the ledger or the memory lacks', async () => {
    const { lcm, ledger } = await kept()
    say(lcm, 's', ['one', 'two'])
    const lines = readFileSync(ledger, 'utf8').split('\n')
    writeFileSync(ledger, lines.filter((line) => !line.includes('"two"')).join('\n'))
    const report = await verify(ledger, lcm)
    expect(report.failures).toContainEqual(expect.objectContaining({ check: 'ledger_behind' }))
    lcm.close()
  })
})

describe('a memory rebuilt from a file', () => {
  it.each([
    ['a transcript', '{"role":"user","content":"hello"}\n{"role":"assistant","content":"hi"}\n'],
    ['text', 'not a ledger\n'],
    ['the beginning of one event', '{"actor":"user","content":"he'],
  ])('is refused when the file is %s, and nothing is left behind', async (_what, text) => {
    const folder = temporaryFolder()
    const given = join(folder, 'given.jsonl')
    writeFileSync(given, text)
    const error: unknown = await rebuild(given, join(folder, 'made.db')).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'not_a_memory', message: expect.stringMatching(/line 1: .*A ledger is/) })
    expect(readdirSync(folder)).toEqual(['given.jsonl'])
    await expect(rebuild(folder)).rejects.toMatchObject({ code: 'file_is_folder' })
  })

  it('is empty when the ledger is empty', async () => {
    const given = join(temporaryFolder(), 'given.jsonl')
    writeFileSync(given, '')
    expect(await rebuild(given)).toMatchObject({ ok: true, messages: 0, failureCount: 0 })
  })

  it('contains what a damaged ledger still proves, and names what is missing', async () => {
    const { lcm, ledger } = await kept()
    say(lcm, 's', ['one', 'two', 'three'])
    lcm.close()
    const lines = readFileSync(ledger, 'utf8').split('\n')
    const cut = lines.findIndex((line) => line.includes('"content":"two"'))
    // Rubbish before the first event, a line that was cut off, and one that was changed.
    lines[cut] = (lines[cut] ?? '').slice(0, 40)
    const damaged = ['\u0000rubbish', ...lines].join('\n').replace('"content":"three"', '"content":"drei"')
    writeFileSync(ledger, damaged)
    const again = await rebuild(ledger)
    expect(again).toMatchObject({ ok: false, messages: 1, failureCount: 3 })
    expect(again.failures.map(({ line, check }) => [line, check])).toEqual([
      [1, 'malformed_json'],
      [cut + 2, 'malformed_json'],
      [cut + 3, 'ledger_hash'],
    ])
  })
})

it('a memory rebuilt from a ledger that was cut off can be inspected', async () => {
  const { lcm } = await kept()
  say(lcm, 'the session', ['one', 'two', 'three'])
  const ledger = join(temporaryFolder(), 'out.jsonl')
  await runToEnd(exportLedger({ db: lcm.read, info: lcm.info, to: ledger, clock: Date.now }, signal))
  lcm.close()
  // An export tells the messages first, and of their conversation after them.
  const lines = readFileSync(ledger, 'utf8').split('\n')
  writeFileSync(ledger, `${lines.slice(0, 2).join('\n')}\n${lines[2]?.slice(0, 30)}`)
  const to = join(temporaryFolder(), 'again.db')
  const { failures } = await rebuild(ledger, to)
  expect(failures.map(({ line, check }) => [line, check])).toEqual([
    [3, 'malformed_json'],
    [0, 'ledger_behind'],
  ])
  using again = await openLcm(to)
  expect(again.read.all('SELECT session_id AS session, importer FROM conversations')).toEqual([
    { session: 'the session', importer: 'test' },
  ])
  expect(again.context.assemble({ conversationId: 1 }).items).toHaveLength(2)
  const report = await checkMemory(again)
  expect(report.checks.filter(({ count, severity }) => count > 0 && severity === 'error')).toEqual([])
})

describe('the checks of a memory that keeps a ledger', () => {
  const found = async (lcm: Lcm): Promise<string[]> => {
    const report = await checkMemory(lcm)
    return report.checks.filter((check) => check.group === 'ledger' && check.count > 0).map((check) => check.id)
  }

  it('find nothing while both agree, and name what one of them lacks otherwise', async () => {
    const { lcm, ledger } = await kept()
    say(lcm, 's', ['one', 'two'])
    expect(await found(lcm)).toEqual([])
    const lines = readFileSync(ledger, 'utf8').split('\n')
    writeFileSync(ledger, lines.filter((line) => !line.includes('"two"')).join('\n'))
    expect(await found(lcm)).toEqual(['ledger_chain', 'ledger_behind'])
    writeFileSync(ledger, lines.join('\n').replace('"content":"one"', '"content":"eins"'))
    expect(await found(lcm)).toEqual(['ledger_hash'])
    lcm.close()
  })

  it('expect changes by hand to be recorded like everything else', async () => {
    const { lcm, ledger } = await kept()
    const texts = Array.from({ length: 60 }, (_, index) => `Message ${index} about the lease. `.repeat(20))
    const id = say(lcm, 'long', texts)
    await runToEnd(lcm.compactionEngine().compact(CompactInput.parse({ conversationId: id, mode: 'full' }), signal))
    const write = lcm.requireWrite('operate')
    write.transaction(() => {
      const leaf = write.value<string>("SELECT summary_id FROM summaries WHERE kind = 'leaf' LIMIT 1") ?? ''
      write.run('DELETE FROM context_items WHERE summary_id = :leaf', { leaf })
      write.run('UPDATE summaries SET token_count = 7 WHERE summary_id = :leaf', { leaf })
    })
    const again = await rebuild(ledger)
    expect(again.failures).toEqual([])
    expect(again.contentHash).toBe(ledgerContentHash(lcm.read))
    lcm.close()
  })
})

describe('an exported ledger', () => {
  it('rebuilds the same memory', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    using lcm = await openLcm(path, { create: true })
    const id = say(
      lcm,
      'long',
      Array.from({ length: 40 }, (_, index) => `Message ${index} about refunds. `.repeat(20)),
    )
    await runToEnd(lcm.compactionEngine().compact(CompactInput.parse({ conversationId: id, mode: 'full' }), signal))
    const to = join(temporaryFolder(), 'out.jsonl')
    await runToEnd(exportLedger({ db: lcm.read, info: lcm.info, to, clock: Date.now }, signal))
    expect((await rebuild(to)).contentHash).toBe(ledgerContentHash(lcm.read))
  })
})
