import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { cliPath } from '#test/builders/built-program.ts'
import { SESSION, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { environment, lcmHere } from './lcm.ts'

/** A memory with a summary, which the returned functions empty and fill again. */
function memoryWithSummary() {
  const memory = buildMemory({ conversations: [{ messages: ['The ferry leaves at quay 12.', 'Noted.'] }] })
  const summary = memory.leaf(1, [1, 2])
  const say = (content: string) =>
    memory.db.run('UPDATE summaries SET content = :content WHERE summary_id = :summary', { content, summary })
  return { memory, say, [Symbol.dispose]: () => memory.close() }
}

describe('lcm watch --once', () => {
  it('ends with exit code 3 when something is wrong with one of the files, and with 0 when nothing is', async () => {
    using sound = memoryWithSummary()
    using wrong = memoryWithSummary()
    expect(await lcmHere(['watch', sound.memory.path, '--once'])).toMatchObject({
      ...{ code: 0, stdout: 'Nothing is wrong.\n' },
    })
    expect(await lcmHere(['watch', '--db', sound.memory.path, '--once', '--json'])).toMatchObject({
      ...{ code: 0, stdout: '' },
    })
    wrong.say('')
    const told = await lcmHere(['watch', sound.memory.path, wrong.memory.path, '--once', '--json'])
    expect(told.code).toBe(3)
    expect(
      told.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      {
        ...{ path: wrong.memory.path, state: 'found', kind: 'empty_summary', severity: 'error', conversationId: 1 },
        ...{ at: expect.stringMatching(/^20\d\d-.*Z$/), text: expect.stringContaining('Summaries say nothing') },
      },
    ])
    const inWords = await lcmHere(['watch', wrong.memory.path, '--once'])
    expect(inWords.stdout).toContain(`error: ${wrong.memory.path}, conversation 1: Summaries say nothing`)
  })

  it('lists two findings of one kind on one conversation', async () => {
    using memory = buildMemory()
    const claude = temporaryFolder()
    const story = new TranscriptBuilder()
    story.user('Where does the ferry leave?')
    await importOne(memory.db, story.write())
    story.answer('api-1', [text('At quay 12.')])
    const paths = ['shop', 'garden'].map((project) => join(claude, 'projects', project, `${SESSION}.jsonl`))
    for (const path of paths) {
      mkdirSync(dirname(path), { recursive: true })
      copyFileSync(story.write(), path)
    }
    const told = await lcmHere(['watch', memory.path, '--once'], { env: { CLAUDE_CONFIG_DIR: claude } })
    for (const path of paths) expect(told.stdout).toContain(`lcm import ${path}`)
  })

  it('ends with exit code 5 for a file that is not there', async () => {
    const { code, stderr } = await lcmHere(['watch', join(temporaryFolder(), 'nothing.db'), '--once'])
    expect([code, stderr]).toEqual([5, expect.stringContaining('file_missing')])
  })
})

it('lcm watch prints a line when something goes wrong and one when it is over, until Ctrl-C', async () => {
  using watched = memoryWithSummary()
  const child = spawn(process.execPath, [cliPath, 'watch', watched.memory.path, '--json', '--interval', '0.2'], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const next = async () => JSON.parse(String((await lines.next()).value))
    watched.say('')
    expect(await next()).toMatchObject({ state: 'found', kind: 'empty_summary' })
    watched.say('The ferry leaves at quay 12.')
    expect(await next()).toMatchObject({ state: 'gone', kind: 'empty_summary' })
    const ended = new Promise((done) => child.once('close', (code) => done(code)))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
  } finally {
    child.kill('SIGKILL')
  }
})
