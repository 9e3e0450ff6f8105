import { getEventListeners } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { inProject } from '#scripts/project.mjs'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

type Memory = {
  status: (given: object) => Promise<unknown>
  recall: (given: object, options: { signal: AbortSignal }) => Promise<unknown>
  close: () => Promise<void>
}
const { startEngine } = (await import(pathToFileURL(inProject('resources/adapters/shared/engine.js')).href)) as {
  startEngine: (given: object) => Memory
}

/** A program in the place of the engine, which counts how often it was started. `body` knows each request. */
function engineThat(body: string) {
  const folder = temporaryFolder()
  const [cli, starts] = [join(folder, 'engine.mjs'), join(folder, 'starts')]
  writeFileSync(
    cli,
    `import { appendFileSync } from 'node:fs'
    import { createInterface } from 'node:readline'
    appendFileSync(${JSON.stringify(starts)}, 'x')
    const answer = (id) => JSON.stringify({ jsonrpc: '2.0', id, result: id }) + '\\n'
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id } = JSON.parse(line)
      ${body}
    })`,
  )
  const memory = startEngine({ node: process.execPath, cli, memory: 'lcm.db', agent: 'pi' })
  return {
    ask: () => memory.status({}),
    recall: (signal: AbortSignal) => memory.recall({}, { signal }),
    close: () => memory.close(),
    starts: () => readFileSync(starts, 'utf8').length,
  }
}

it('starts the engine again when it ends after an answer, and fails only what was asked meanwhile', async () => {
  const engine = engineThat(`
    if (id === 1) process.stdout.write(answer(1))
    else process.stdout.write(answer(2).slice(0, 12), () => process.exit(1))`)
  expect(await engine.ask()).toBe(1)
  await expect(engine.ask()).rejects.toThrow('lcm engine ended with 1')
  expect(await engine.ask()).toBe(1)
  expect(engine.starts()).toBe(2)
  await engine.close()
  await expect(engine.ask()).rejects.toThrow('lcm engine ended with 0')
})

it('does not start the engine again when it ends before its first answer, and says why it ended', async () => {
  const engine = engineThat("console.error('There is no memory.'); process.exit(1)")
  for (let times = 0; times < 3; times += 1) await expect(engine.ask()).rejects.toThrow('There is no memory.')
  expect(engine.starts()).toBe(1)
})

it('cancels what is asked when its signal is aborted, also before, and listens no longer than until the answer', async () => {
  const engine = engineThat(`
    const { method, params } = JSON.parse(line)
    if (method === 'status') process.stdout.write(answer(id))
    if (method === '$/cancelRequest') process.stdout.write(answer(params.id))`)
  const later = new AbortController()
  const asked = engine.recall(later.signal)
  later.abort()
  expect(await asked).toBe(1)
  expect(await engine.recall(AbortSignal.abort())).toBe(2)
  expect(getEventListeners(later.signal, 'abort')).toEqual([])
  const never = new AbortController()
  const open = engine.recall(never.signal)
  const closed = engine.close()
  await expect(open).rejects.toThrow('lcm engine ended with 0')
  await closed
  expect(getEventListeners(never.signal, 'abort')).toEqual([])
})
