import { describe, expect, it } from 'vitest'
import { blocksOf, isEndOfSummary } from '#renderer/features/transcript/blocks.ts'
import { editDiff, patchLines, replacedLines } from '#renderer/features/transcript/edit-diff.ts'
import { prettyJson, toolLine } from '#renderer/features/transcript/tool-line.ts'
import { messageOf, partOf } from './transcript-messages.ts'

const kinds = (message: Parameters<typeof blocksOf>[0]): string[] => blocksOf(message).map(({ kind }) => kind)

describe('the blocks of a message', () => {
  it('show the content of a message without parts', () => {
    expect(blocksOf(messageOf({ content: 'hello' }))).toMatchObject([{ kind: 'text', text: 'hello' }])
  })

  it('show text once that is in the content and in a part', () => {
    const parts = [
      partOf({ partId: 'a', text: 'one ' }),
      partOf({ partId: 'b', type: 'tool', toolName: 'bash', toolInput: '{}' }),
      partOf({ partId: 'c', text: 'two' }),
    ]
    expect(kinds(messageOf({ content: 'one\n\ntwo', parts }))).toEqual(['text', 'tool_call', 'text'])
  })

  it('contain text that is in the content only', () => {
    const parts = [partOf({ partId: 'a', text: 'one' }), partOf({ partId: 'b', type: 'reasoning', text: 'hm' })]
    const blocks = blocksOf(messageOf({ role: 'assistant', content: 'one and two', parts }))
    expect(blocks).toMatchObject([
      { kind: 'text', text: 'one and two' },
      { kind: 'reasoning', text: 'hm' },
    ])
  })

  it('show a tool message as a result, whichever way its system stores it', () => {
    const native = [partOf({ type: 'tool', toolName: 'bash', toolCallId: 'c1', toolOutput: 'ok' })]
    const foreign = [partOf({ type: 'text', toolName: 'bash', toolCallId: 'c1', text: 'ok' })]
    const bare = [partOf({ type: 'tool', toolName: 'bash', toolCallId: 'c1' })]
    const result = { kind: 'tool_result', toolName: 'bash', toolCallId: 'c1', output: 'ok' }
    for (const parts of [native, foreign]) {
      expect(blocksOf(messageOf({ role: 'tool', content: 'ok', parts }))).toMatchObject([result])
    }
    expect(blocksOf(messageOf({ role: 'tool', content: 'ok', parts: bare }))).toMatchObject([result])
    expect(blocksOf(messageOf({ role: 'tool', content: 'ok' }))).toMatchObject([{ kind: 'tool_result', output: 'ok' }])
  })

  it('show what a part records beside its texts: steps, patches, tasks for other agents, what the model is not sent', () => {
    const parts = [
      partOf({ partId: 'a', type: 'step_start', details: { snapshotHash: '0123456789abcdef' } }),
      partOf({ partId: 'b', text: 'Only for you.', details: { ignored: true } }),
      partOf({ partId: 'c', type: 'patch', details: { patchHash: 'abc', patchFiles: '["/a.ts","/b.ts"]' } }),
      partOf({
        partId: 'd',
        type: 'subtask',
        details: { subtaskPrompt: 'Find callers', subtaskAgent: 'explore', subtaskDesc: 'callers' },
      }),
      partOf({
        partId: 'e',
        type: 'step_finish',
        details: { stepReason: 'stop', stepTokensIn: 1234, stepTokensOut: 56, stepCost: 0.012345 },
      }),
      partOf({ partId: 'f', type: 'compaction', details: { compactionAuto: true } }),
      partOf({ partId: 'g', type: 'tool', toolName: 'bash', toolInput: '{}', details: { toolTitle: 'List' } }),
    ]
    expect(blocksOf(messageOf({ role: 'assistant', parts }))).toMatchObject([
      { kind: 'mark', label: 'step start: files at 0123456789ab', text: '' },
      { kind: 'text', text: 'Only for you.', isIgnored: true },
      { kind: 'mark', label: expect.stringMatching(/^patch abc, 2\sfiles$/), text: '/a.ts\n/b.ts' },
      { kind: 'subtask', title: 'subtask for explore: callers', text: 'Find callers' },
      {
        kind: 'mark',
        label: expect.stringMatching(/^step finish: stop, 1\.23\sk in, 56 out, cost 0\.0123$/),
        text: '',
      },
      { kind: 'compaction', isAuto: true, isIgnored: false },
      { kind: 'tool_call', title: 'List' },
    ])
  })

  it('show the content by its parts although one between them is not sent to the model', () => {
    const parts = [
      partOf({ partId: 'a', text: 'Fix it.' }),
      partOf({ partId: 'b', text: 'Only for you.', details: { ignored: true } }),
      partOf({ partId: 'c', type: 'subtask', details: { subtaskPrompt: 'Find callers' } }),
    ]
    expect(kinds(messageOf({ content: 'Fix it.\n\nFind callers', parts }))).toEqual(['text', 'text', 'subtask'])
  })

  it('keep a call and its result together when one part holds both', () => {
    const part = partOf({
      type: 'tool',
      toolName: 'read',
      toolInput: '{"path":"a"}',
      toolOutput: 'text',
      toolStatus: 'ok',
    })
    expect(blocksOf(messageOf({ role: 'assistant', parts: [part] }))).toMatchObject([
      { kind: 'tool_call', input: '{"path":"a"}', output: 'text' },
    ])
  })

  it('mark what the engine added, and divide where the context was compacted', () => {
    const parts = [
      partOf({ partId: 'a', text: 'hi' }),
      partOf({ partId: 'b', type: 'compaction', isSynthetic: true, text: 'sum_1' }),
    ]
    expect(blocksOf(messageOf({ content: 'hi', parts })).at(-1)).toMatchObject({
      kind: 'compaction',
      isSynthetic: true,
    })
  })

  it('tell the end of the range of a summary, which the gutter shows, from a compaction of an agent', () => {
    const ends = [true, false].map((isSynthetic) => partOf({ partId: 'b', type: 'compaction', isSynthetic }))
    const [ours, agents] = ends.map((part) => blocksOf(messageOf({ content: '', parts: [part] }))[0])
    expect(ours && isEndOfSummary(ours)).toBe(true)
    expect(agents && isEndOfSummary(agents)).toBe(false)
  })

  it('name the summary of a compaction, and the tokens before it when the system records them', () => {
    const ours = partOf({ type: 'compaction', metadata: '{"run":"r","summary":"sum_1"}' })
    const claudeCode = partOf({ type: 'compaction', metadata: '{"trigger":"auto","preTokens":155012}' })
    const told = (part: typeof ours) => blocksOf(messageOf({ parts: [part] }))[0]
    expect(told(ours)).toMatchObject({ summaryId: 'sum_1', tokensBefore: null })
    expect(told(claudeCode)).toMatchObject({ summaryId: null, tokensBefore: 155_012 })
    expect(told(partOf({ type: 'compaction', text: 'into sum_9f' }))).toMatchObject({ summaryId: 'sum_9f' })
  })

  it('name a file and never show it', () => {
    const part = partOf({ type: 'file', fileName: 'a.png', fileMime: 'image/png', fileUrl: 'https://evil.test/a.png' })
    expect(kinds(messageOf({ parts: [part] }))).toEqual(['file'])
  })

  it('show a file once when its name is in the content too', () => {
    const part = partOf({ type: 'file', fileMime: 'image/png', text: 'image 12 bytes' })
    expect(kinds(messageOf({ content: 'image 12 bytes', parts: [part] }))).toEqual(['file'])
  })

  it('drop empty text, and say where a part has no text', () => {
    expect(kinds(messageOf({ parts: [partOf({ text: ' \n' })] }))).toEqual([])
    const parts = [partOf({ type: 'reasoning', text: '' }), partOf({ text: null, metadata: '{"type":"new"}' })]
    expect(blocksOf(messageOf({ parts }))).toMatchObject([
      { kind: 'mark', label: 'reasoning, its text was not recorded' },
      { kind: 'mark', label: 'unrecognised block', text: '{"type":"new"}' },
    ])
  })
})

describe('the line of a tool call', () => {
  it('shows its most informative argument', () => {
    expect(toolLine('{"description":"Run tests","command":"npm test\\n  -- --run"}')).toBe('npm test -- --run')
    expect(toolLine('{"cmd":["bash","-lc","ls"]}')).toBe('bash -lc ls')
    expect(toolLine('{"path":"a.ts","limit":3}')).toBe('a.ts')
  })

  it('shows all arguments when none is known to be informative', () => {
    expect(toolLine('{"lines":3,"deep":{"a":1}}')).toBe('lines=3 deep={"a":1}')
  })

  it('shows the stored text when it is no JSON', () => {
    expect(toolLine('{"command":"cut o')).toBe('{"command":"cut o')
    expect(toolLine('{"file_path":"/a \\"b\\".ts","content":"cut o')).toBe('/a "b".ts')
    expect(toolLine('')).toBe('')
    expect(prettyJson('{"command":"cut o')).toBe('{"command":"cut o')
  })

  it('stays short for an argument of any length', () => {
    expect(toolLine(JSON.stringify({ command: 'x '.repeat(500_000) })).length).toBeLessThanOrEqual(240)
  })
})

describe('the diff of an edit', () => {
  const shown = (lines: ReturnType<typeof replacedLines> | null): string[] =>
    (lines ?? []).map(({ kind, text }) => `${kind} ${text}`)

  it('shows removed and added lines with the lines around them', () => {
    expect(shown(replacedLines('a\nb\nc', 'a\nB\nc'))).toEqual(['same a', 'removed b', 'added B', 'same c'])
    expect(shown(replacedLines('', 'new'))).toEqual(['added new'])
    expect(shown(replacedLines('a\na', 'a'))).toEqual(['same a', 'removed a'])
  })

  it.each([
    { file_path: 'x', old_string: 'a', new_string: 'b' },
    { path: 'x', oldText: 'a', newText: 'b' },
    { edits: [{ old_string: 'a', new_string: 'b' }] },
  ])('is made from the arguments of editing tools', (input) => {
    expect(shown(editDiff(JSON.stringify(input)))).toEqual(['removed a', 'added b'])
  })

  it('is made from a patch', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-old\n+new\n same\n*** End Patch'
    expect(patchLines(patch).map(({ kind }) => kind)).toEqual([
      'head',
      'head',
      'hunk',
      'removed',
      'added',
      'same',
      'head',
    ])
    expect(editDiff(JSON.stringify({ input: patch }))).toHaveLength(7)
  })

  it('is empty for calls that edit nothing', () => {
    expect(editDiff('{"command":"ls"}')).toBeNull()
    expect(editDiff('not json')).toBeNull()
  })
})
