import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { discoverTranscripts } from '#core/machine/known-transcripts.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

function write(path: string, text: string, atMs: number): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, atMs / 1000, atMs / 1000)
  return path
}

const look = (home: string, env: Record<string, string> = {}, cwd = join(home, 'elsewhere')) =>
  discoverTranscripts({ home, env, cwd })

describe('the transcripts on this machine', () => {
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

  it('are assigned to projects by their content when an agent keeps all projects together', () => {
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

  it('are the logs of Kimi Code, of every agent of a session, and not the files beside them', () => {
    const home = temporaryFolder()
    const session = join(home, '.kimi-code/sessions/wd_shop_1/session_1')
    for (const agent of ['main', 'agent-0'])
      write(join(session, 'agents', agent, 'wire.jsonl'), '{"type":"profile.bind","cwd":"/home/dev/shop"}\n', 1_000)
    write(join(session, 'state.json'), '{}', 1_000)
    const [found] = look(home)
    expect(found).toMatchObject({ agent: 'Kimi Code', label: '/home/dev/shop', files: 2 })
    expect(look(home, { KIMI_CODE_HOME: join(home, 'elsewhere') })).toEqual([])
  })

  it('are also found in the folder where the app was started', () => {
    const home = temporaryFolder()
    const cwd = join(home, 'project')
    write(join(cwd, '.aider.chat.history.md'), '# aider chat started at 2026-01-01 10:00:00\n', 1_000_000)
    write(join(cwd, '.specstory/history/x.md'), '# x\n', 2_000_000)
    expect(look(home, {}, cwd).map(({ agent, label }) => [agent, label])).toEqual([
      ['SpecStory', cwd],
      ['aider', cwd],
    ])
  })

  it('have the project folder of Gemini CLI instead of its hash when another agent knows the folder', () => {
    const home = temporaryFolder()
    const hash = (path: string): string => createHash('sha256').update(path).digest('hex')
    const chat = (folder: string): string =>
      write(join(home, '.gemini/tmp', folder, 'chats/session-1.json'), '{}', 1_000)
    write(join(home, '.claude/projects/-work-shop/a.jsonl'), '{"type":"user","cwd":"/work/shop"}\n', 9_000)
    write(join(home, '.gemini/history/old/.project_root'), '/work/old\n', 1)
    write(join(home, '.gemini/tmp/new-one/.project_root'), '/work/new', 1)
    write(join(home, '.gemini/projects.json'), JSON.stringify({ projects: { '/work/listed': 'listed' } }), 1)
    for (const folder of [hash('/work/shop'), hash('/work/old'), hash('/work/gone'), 'new-one', 'listed']) chat(folder)
    const labels = look(home).flatMap(({ agent, label }) => (agent === 'Gemini CLI' ? label : []))
    expect(labels.sort()).toEqual(
      ['/work/shop', '/work/old', '/work/new', '/work/listed', hash('/work/gone').slice(0, 12)].sort(),
    )
  })

  it('are assigned to projects of opencode, beside its database', () => {
    const home = temporaryFolder()
    const data = join(home, '.local/share/opencode')
    const session = { id: 'ses_1', directory: '/work/a', title: 'x' }
    write(join(data, 'storage/session/0a1b/ses_1.json'), JSON.stringify(session, null, 2), 2_000)
    write(join(data, 'storage/session/0a1c/ses_2.json'), JSON.stringify({ ...session, directory: '/work/b' }), 3_000)
    const database = write(join(data, 'opencode.db'), 'SQLite format 3\0', 4_000)
    expect(look(home).map(({ label, paths }) => [label, paths])).toEqual([
      ['opencode.db', [database]],
      ['/work/b', [join(data, 'storage/session/0a1c')]],
      ['/work/a', [join(data, 'storage/session/0a1b')]],
    ])
  })

  it('finds those of oh-my-pi and Kilo where they keep them', () => {
    const home = temporaryFolder()
    const database = write(join(home, '.local/share/kilo/kilo.db'), 'SQLite format 3\0', 4_000)
    const lines = '{"type":"title","title":""}\n{"type":"session","cwd":"/work/a"}\n'
    write(join(home, '.omp/agent/sessions/-work-a/1.jsonl'), lines, 2_000)
    expect(look(home).map(({ agent, label, paths }) => [agent, label, paths])).toEqual([
      ['Kilo', 'kilo.db', [database]],
      ['oh-my-pi', '/work/a', [join(home, '.omp/agent/sessions/-work-a')]],
    ])
  })

  it('finds those of Hermes Agent, Droid and Cline where they keep them', () => {
    const home = temporaryFolder()
    const database = write(join(home, '.hermes/state.db'), 'SQLite format 3\0', 4_000)
    const profile = write(join(home, '.hermes/profiles/work/state.db'), 'SQLite format 3\0', 3_000)
    write(join(home, '.factory/sessions/-work-a/1.jsonl'), '{"type":"session_start","cwd":"/work/a"}\n', 2_000)
    const session = write(join(home, '.cline/data/sessions/1/1.messages.json'), '{"sessionId":"1"}', 1_000)
    write(join(home, '.cline/data/sessions/1/1.json'), '{"session_id":"1","cwd":"/work/b"}', 1_000)
    expect(look(home).map(({ agent, label, paths }) => [agent, label, paths])).toEqual([
      ['Hermes Agent', 'default profile', [database]],
      ['Hermes Agent', 'work', [profile]],
      ['Droid', '/work/a', [join(home, '.factory/sessions/-work-a')]],
      ['Cline', 'other projects', [session]],
    ])
  })

  it('are found through symbolic links, and in folders that a variable names', () => {
    const home = temporaryFolder()
    const away = temporaryFolder()
    const line = '{"type":"session","cwd":"/work/x"}\n'
    write(join(away, 'claude/a.jsonl'), line, 5_000)
    mkdirSync(join(home, '.claude/projects'), { recursive: true })
    symlinkSync(join(away, 'claude'), join(home, '.claude/projects/linked'))
    symlinkSync('nowhere', join(home, '.claude/projects/broken'))
    write(join(away, 'pi/--x--/1.jsonl'), line, 4_000)
    write(join(away, '.gemini/tmp/x/chats/session-1.jsonl'), '{}\n', 3_000)
    write(join(away, 'history.md'), '# aider\n', 2_000)
    const env = {
      PI_CODING_AGENT_SESSION_DIR: join(away, 'pi'),
      GEMINI_CLI_HOME: away,
      AIDER_CHAT_HISTORY_FILE: join(away, 'history.md'),
    }
    expect(look(home, env).map(({ agent }) => agent)).toEqual(['Claude Code', 'Pi', 'Gemini CLI', 'aider'])
  })

  it('are assigned to a project by their end when their first record is too long', () => {
    const home = temporaryFolder()
    const long = JSON.stringify({ type: 'user', message: 'x'.repeat(100_000), cwd: '/work/far' })
    write(join(home, '.claude/projects/p/a.jsonl'), `${long}\n${long}\n`, 1_000)
    expect(look(home).map(({ label }) => label)).toEqual(['/work/far'])
  })

  it('do not include empty files, other files or missing folders', () => {
    const home = temporaryFolder()
    write(join(home, '.claude/projects/p/notes.txt'), 'x', 1)
    write(join(home, '.claude/projects/q/empty.jsonl'), '', 1)
    expect(look(home)).toEqual([])
  })
})
