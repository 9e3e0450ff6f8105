import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { cliPath, packageFolder } from '#test/builders/built-program.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { scanFile, wrong } from '#test/doctor/integrity/scan-file.ts'
import { environment } from '#test/doors/cli/lcm.ts'

/** What Hermes calls of an engine, as its `agent/context_engine.py` declares it in November 2026. */
const HERMES = `
from abc import ABC, abstractmethod

class ContextEngine(ABC):
    last_prompt_tokens = 0
    threshold_tokens = 0
    compression_count = 0

    @property
    @abstractmethod
    def name(self): ...

    @abstractmethod
    def update_from_response(self, usage): ...

    @abstractmethod
    def should_compress(self, prompt_tokens=None): ...

    @abstractmethod
    def compress(self, messages, current_tokens=None, focus_topic=None, force=False, memory_context=""): ...
`

/** Loads the plugin as Hermes does, and tells it of a session. */
const BEGIN = `
import json, sys
import lcm_inspector

class Context:
    def register_context_engine(self, engine):
        self.engine = engine

def start():
    context = Context()
    lcm_inspector.register(context)
    context.engine.threshold_tokens = 1500
    context.engine.on_session_start("s1")
    return context.engine

def said(n, text=None):
    text = text or f"Part {n} says WORD{n}. " + "The keeper writes into the log. " * 8
    return {"role": "user" if n % 2 == 0 else "assistant", "content": text}

SYSTEM = {"role": "system", "content": "You help."}
`

function python(body: string): { readonly answer: Record<string, unknown>; readonly memory: string } {
  const folder = temporaryFolder()
  const memory = join(folder, 'lcm.db')
  for (const made of ['agent', 'lcm_inspector']) mkdirSync(join(folder, made))
  writeFileSync(join(folder, 'agent/context_engine.py'), HERMES)
  writeFileSync(join(folder, 'agent/__init__.py'), '')
  const adapter = join(packageFolder, 'resources/adapters/hermes/__init__.py')
  copyFileSync(adapter, join(folder, 'lcm_inspector/__init__.py'))
  const installed = { node: process.execPath, cli: cliPath, memory }
  writeFileSync(join(folder, 'lcm_inspector/installed.json'), JSON.stringify(installed))
  writeFileSync(join(folder, 'session.py'), BEGIN + body)
  const env = environment({ LCM_LEAF_CHUNK_TOKENS: '1000' })
  const told = execFileSync('python3', ['session.py'], { cwd: folder, env, encoding: 'utf8' })
  return { answer: JSON.parse(told), memory }
}

async function contents(memory: string): Promise<string[]> {
  using lcm = await openLcm(memory, { readOnly: true })
  return lcm.read.column<string>('SELECT content FROM messages ORDER BY seq')
}

it('stores each message of Hermes once, over a compaction, a session that it opens for that, and a new start', async () => {
  const { answer, memory } = python(`
engine = start()
messages = [SYSTEM] + [said(n) for n in range(40)]
for end in range(3, 42, 2):
    engine.on_turn_complete(messages[:end])
compacted = engine.compress(messages, current_tokens=4000)
engine.on_session_start("s2", boundary_reason="compression", old_session_id="s1")
more = compacted + [said(40, "yes"), said(41, "yes"), said(42, "yes")]
engine.on_turn_complete(more)
found = engine.handle_tool_call("lcm_grep", {"query": "WORD3"})
engine.on_session_end("s2", more)
again = start()
again.on_turn_complete(more + [said(43, "yes")])
again.on_session_end("s1", more + [said(43, "yes")])
print(json.dumps({"roles": [m["role"] for m in compacted], "summary": compacted[1]["content"], "tail": compacted[2:],
  "found": found, "count": engine.compression_count, "tools": [t["name"] for t in engine.get_tool_schemas()]}))
engine._engine.close()
`)
  expect(answer.roles).toEqual([
    'system',
    'user',
    ...Array.from({ length: (answer.tail as []).length }, (_, n) => (n % 2 === 0 ? 'user' : 'assistant')),
  ])
  expect(answer.summary).toMatch(/^The conversation before this point is stored whole/)
  expect((answer.tail as unknown[]).length).toBeLessThan(20)
  expect(answer.found).toContain('WORD3')
  expect(answer.count).toBe(1)
  expect(answer.tools).toEqual(['lcm_grep', 'lcm_describe', 'lcm_expand'])
  const stored = await contents(memory)
  expect(stored.map((text) => /WORD\d+/.exec(text)?.[0] ?? text)).toEqual([
    ...Array.from({ length: 40 }, (_, n) => `WORD${n}`),
    ...['yes', 'yes', 'yes', 'yes'],
  ])
  expect(wrong(await scanFile(memory))).toEqual([])
})

it('stores nothing a second time when the memory could not say what it holds, or its process was killed', async () => {
  const { answer, memory } = python(`
engine = start()
messages = [said(n) for n in range(6)]
engine.on_turn_complete(messages)
engine._engine._process.kill()
engine.on_session_end("s1", messages)
again = start()
ask = again._engine.call
def locked(method, **params):
    if method == "status":
        raise lcm_inspector.Refused({"message": "The memory is locked.", "data": {"code": "locked"}})
    return ask(method, **params)
again._engine.call = locked
again.on_turn_complete(messages[2:] + [said(6)])
again._engine.call = ask
again.on_turn_complete(messages[2:] + [said(6)])
again.on_session_end("s1", messages[2:] + [said(6)])
print(json.dumps({}))
`)
  expect(answer).toEqual({})
  expect((await contents(memory)).map((text) => /WORD\d+/.exec(text)?.[0])).toEqual(
    Array.from({ length: 7 }, (_, n) => `WORD${n}`),
  )
})

it('sends all messages as they are when there is no memory, and when nothing would become smaller', () => {
  const { answer } = python(`
engine = start()
messages = [SYSTEM, said(0), said(1)]
unchanged = engine.compress(messages)
engine._engine._command[0] = "/nowhere/node"
engine._engine.close()
engine.on_turn_complete(messages + [said(2)])
print(json.dumps({"isSame": unchanged == messages, "isSameAlone": engine.compress(messages + [said(2)]) == messages + [said(2)],
  "due": [engine.should_compress(1499), engine.should_compress(1500)], "error": engine.handle_tool_call("other", {})}))
`)
  expect(answer).toMatchObject({ isSame: true, isSameAlone: true, due: [false, true] })
  expect(answer.error).toContain('There is no tool other.')
})

it('answers the next compaction when the memory failed behind the last one, which Hermes was not given', () => {
  const { answer } = python(`
engine = start()
messages = [SYSTEM] + [said(n) for n in range(40)]
ask = engine._engine.call
def failing(method, **params):
    if method == "recall":
        raise RuntimeError("lcm engine has ended")
    return ask(method, **params)
engine._engine.call = failing
failed = engine.compress(messages)
engine._engine.call = ask
again = engine.compress(messages)
print(json.dumps({"isSame": failed == messages, "summary": again[1]["content"], "length": len(again), "count": engine.compression_count}))
engine._engine.close()
`)
  expect(answer).toMatchObject({ isSame: true, count: 1 })
  expect(answer.summary).toMatch(/^The conversation before this point is stored whole/)
  expect(answer.length).toBeLessThan(25)
})

it('finds within a moment that nothing of a long session stands among the messages of Hermes', () => {
  const { answer } = python(`
import time
begin = time.monotonic()
at = lcm_inspector.met_at([""] * 50_000 + [f"stored {n}" for n in range(500)], [f"new {n}" for n in range(2_000)])
print(json.dumps({"at": at, "seconds": time.monotonic() - begin}))
`)
  expect(answer.at).toBe(0)
  expect(answer.seconds).toBeLessThan(5)
})
