import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HookEvent, readHookEvent } from '#core/host/hooks/hook-event.ts'
import { HookFolder } from '#core/host/hooks/hook-folder.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const event = (fields: object): HookEvent => {
  const read = readHookEvent(JSON.stringify({ session_id: 's', ...fields }))
  if (read === null) throw new Error('This is an event.')
  return read
}
const folder = (dataDir = temporaryFolder(), memory = '/m.db') => new HookFolder(dataDir, memory)

describe('what an agent says when it starts a hook', () => {
  it('is no event without the name of the event and of the session, or when it is no JSON', () => {
    for (const text of [
      '',
      '{',
      '[]',
      'null',
      '{"session_id":"s"}',
      '{"hook_event_name":"Stop"}',
      '{"hook_event_name":7,"session_id":"s"}',
    ])
      expect(readHookEvent(text)).toBeNull()
  })

  it('has the summary of a compaction only from a sub-agent without a name', () => {
    const fields = { hook_event_name: 'SubagentStop', last_assistant_message: 'A summary.' }
    expect(event({ ...fields, agent_type: '' }).summary).toBe('A summary.')
    expect(event({ ...fields, agent_type: 'Explore' }).summary).toBeNull()
    expect(event({ ...fields, hook_event_name: 'Stop' }).summary).toBeNull()
  })
})

describe('the folder of hooks', () => {
  it('keeps what waits by memory, each transcript once and in the order in which it came', () => {
    const dataDir = temporaryFolder()
    const [one, other] = [folder(dataDir), folder(dataDir, '/other.db')]
    for (const path of ['/b.jsonl', '/a.jsonl', '/b.jsonl'])
      one.take('codex', event({ hook_event_name: 'Stop', transcript_path: path }), 1)
    other.take('claude-code', event({ hook_event_name: 'Stop', transcript_path: '/c.jsonl' }), 1)
    other.take('claude-code', event({ hook_event_name: 'SessionEnd', transcript_path: '/c.jsonl' }), 2)
    other.take('claude-code', event({ hook_event_name: 'Stop', transcript_path: '/c.jsonl' }), 3)
    other.take('claude-code', event({ hook_event_name: 'Stop' }), 4)
    expect(new Set(one.waiting().transcripts.map(({ path, hasEnded }) => `${path} ${hasEnded}`))).toEqual(
      new Set(['/a.jsonl false', '/b.jsonl false']),
    )
    expect(one.isWaiting).toBe(true)
    one.waiting().forget()
    expect(one.waiting().transcripts).toEqual([])
    expect(other.waiting().transcripts).toEqual([{ agent: 'claude-code', path: '/c.jsonl', hasEnded: true }])
  })

  // A link to itself may not be listed by anybody, not even by the superuser.
  it.skipIf(process.platform === 'win32')('is not taken for empty when it may not be listed', () => {
    const dataDir = temporaryFolder()
    const hooks = folder(dataDir)
    hooks.take('codex', event({ hook_event_name: 'Stop', transcript_path: '/a.jsonl' }), 1)
    const [name = ''] = readdirSync(join(dataDir, 'hooks')).filter((one) => !one.includes('.'))
    const queue = join(dataDir, 'hooks', name)
    rmSync(queue, { recursive: true })
    expect([hooks.isWaiting, hooks.waitingSinceMs, hooks.waiting().transcripts]).toEqual([false, null, []])
    symlinkSync(queue, queue)
    const refused = expect.objectContaining({ code: 'file_not_readable', message: expect.stringContaining(queue) })
    expect(() => hooks.isWaiting).toThrow(refused)
    expect(() => hooks.waitingSinceMs).toThrow(refused)
    expect(() => hooks.isAttendedTo).toThrow(refused)
    expect(() => hooks.waiting()).toThrow(refused)
  })

  it('gives the summary of a compaction once, and only when one is under way', () => {
    const hooks = folder()
    const stopped = event({ hook_event_name: 'SubagentStop', agent_type: '', last_assistant_message: 'A summary.' })
    hooks.take('claude-code', stopped, 1)
    expect(hooks.takeCompaction(stopped)).toBeNull()
    hooks.take('claude-code', event({ hook_event_name: 'PreCompact' }), 2)
    hooks.take('claude-code', stopped, 3)
    expect(hooks.takeCompaction(stopped)).toEqual({ atMs: 2, summary: 'A summary.' })
    expect(hooks.takeCompaction(stopped)).toBeNull()
  })

  it('is emptied by one process at a time, which others see', () => {
    const hooks = folder()
    expect(hooks.isBeingEmptied).toBe(false)
    const release = hooks.lock()
    expect(hooks.isBeingEmptied).toBe(true)
    expect(() => hooks.lock()).toThrow(expect.objectContaining({ code: 'locked' }))
    release()
    expect(hooks.isBeingEmptied).toBe(false)
  })

  it('is attended to only while one process imports and another waits for its end', () => {
    const hooks = folder()
    const release = hooks.lock()
    expect(hooks.isAttendedTo).toBe(false)
    const leave = hooks.lockNext()
    expect(hooks.isAttendedTo).toBe(true)
    expect(() => hooks.lockNext()).toThrow(expect.objectContaining({ code: 'locked' }))
    release()
    expect(hooks.isAttendedTo).toBe(false)
    leave()
  })

  it('is attended to as well by processes that were started and have not begun, as long as they run', () => {
    const hooks = folder()
    hooks.take('codex', event({ hook_event_name: 'Stop' }), 1)
    const release = hooks.lock()
    hooks.noteStarted(process.pid)
    expect(hooks.isAttendedTo).toBe(true)
    hooks.noteBegun(process.pid)
    expect(hooks.isAttendedTo).toBe(false)
    const { pid } = spawnSync(process.execPath, ['-e', '0'])
    hooks.noteStarted(pid)
    expect(hooks.isAttendedTo).toBe(false)
    release()
  })

  it('keeps failures and not too many of them, and passes over files that it has not written', () => {
    const dataDir = temporaryFolder()
    const hooks = folder(dataDir)
    for (let n = 0; n < 400; n += 1) hooks.fail('codex', new Error(`${n} ${'x'.repeat(900)}`), n)
    const kept = hooks.failures()
    expect(kept.length).toBeLessThan(100)
    expect(kept.at(-1)).toMatchObject({ atMs: 399, agent: 'codex' })
    hooks.take('codex', event({ hook_event_name: 'Stop' }), 1)
    writeFileSync(join(dataDir, 'hooks', 'codex.heard'), '{"atMs":')
    expect(hooks.lastHeard('codex')).toBeNull()
    const [queue = ''] = readdirSync(join(dataDir, 'hooks'), { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? one.name : [],
    )
    writeFileSync(join(dataDir, 'hooks', queue, '1-a.waiting'), 'nonsense')
    expect(hooks.waiting().transcripts).toEqual([])
  })

  it('says nothing when it cannot be written', () => {
    const dataDir = temporaryFolder()
    writeFileSync(join(dataDir, 'hooks'), 'a file in the place of the folder')
    const hooks = folder(dataDir)
    expect(() => hooks.fail('codex', new Error('x'), 1)).not.toThrow()
    expect(hooks.failures()).toEqual([])
  })
})
