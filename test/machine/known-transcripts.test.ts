import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { discoverTranscripts } from '../../core/machine/known-transcripts.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

function write(path: string, text: string, atMs: number): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, atMs / 1000, atMs / 1000)
  return path
}

const look = (home: string, env: Record<string, string> = {}, cwd = join(home, 'elsewhere')) =>
  discoverTranscripts({ home, env, cwd })

describe('transcripts on this machine', () => {
  it('are found by agent and project, with the folder of the project instead of its slug', () => {
    const home = temporaryFolder()
    const claude = join(home, '.claude/projects/-home-dev-shop')
    write(join(claude, 'a.jsonl'), '{"type":"summary"}\n{"type":"user","cwd":"/home/dev/my-shop"}\n', 3_000_000)
    write(join(claude, 'a/subagents/agent-1.jsonl'), '{"type":"user"}\n', 2_000_000)
    write(join(home, '.pi/agent/sessions/--x--/1.jsonl'), '{"type":"session","cwd":"/work/\\"x\\""}\n', 1_000_000)
    expect(look(home)).toEqual([
      {
        agent: 'Claude Code',
        label: '/home/dev/my-shop',
        paths: [claude],
        files: 2,
        bytes: 77,
        modifiedAtMs: 3_000_000,
      },
      {
        agent: 'Pi',
        label: '/work/"x"',
        paths: [join(home, '.pi/agent/sessions/--x--')],
        files: 1,
        bytes: 39,
        modifiedAtMs: 1_000_000,
      },
    ])
  })

  it('of an agent that keeps all projects together are told apart by what they say', () => {
    const home = temporaryFolder()
    const day = join(home, 'cx/sessions/2026/03/02')
    const one = write(join(day, 'rollout-1.jsonl'), '{"type":"session_meta","payload":{"cwd":"/a"}}\n', 1_000_000)
    const two = write(join(day, 'rollout-2.jsonl'), '{"type":"session_meta","payload":{"cwd":"/b"}}\n', 2_000_000)
    const old = write(join(home, 'cx/archived_sessions/r.jsonl'), '{"payload":{"cwd":"/a"}}\n', 500_000)
    const found = look(home, { CODEX_HOME: join(home, 'cx') })
    expect(found.map(({ agent, label, paths }) => [agent, label, paths])).toEqual([
      ['Codex', '/b', [two]],
      ['Codex', '/a', [one, old]],
    ])
  })

  it('lie in the project where the app was started as well', () => {
    const home = temporaryFolder()
    const cwd = join(home, 'project')
    write(join(cwd, '.aider.chat.history.md'), '# aider chat started at 2026-01-01 10:00:00\n', 1_000_000)
    write(join(cwd, '.specstory/history/x.md'), '# x\n', 2_000_000)
    expect(look(home, {}, cwd).map(({ agent, label }) => [agent, label])).toEqual([
      ['SpecStory', cwd],
      ['aider', cwd],
    ])
  })

  it('are none where nothing is, where all is empty, and where files are of another kind', () => {
    const home = temporaryFolder()
    write(join(home, '.claude/projects/p/notes.txt'), 'x', 1)
    write(join(home, '.claude/projects/q/empty.jsonl'), '', 1)
    expect(look(home)).toEqual([])
  })
})
