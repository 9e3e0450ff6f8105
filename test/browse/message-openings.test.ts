import { describe, expect, it } from 'vitest'
import { messageOpenings, toolLine } from '#core/systems/reading/message-openings.ts'
import { buildMemory } from '../builders/memory.ts'

const call = (input: string, output = '') => toolLine({ name: 'exec', input, output })

describe('a call in one line', () => {
  it('names the tool and the first text that it was given', () => {
    expect(call('{"timeout":5,"cmd":"rg --files\\n","workdir":"/home"}')).toBe('exec rg --files')
    expect(call('{"command":["bash","-lc","pwd"]}')).toBe('exec bash -lc pwd')
    expect(call('{"all":true,"options":{"depth":2}}')).toBe('exec {"all":true,"options":{"depth":2}}')
    expect([call('{}'), call(''), call('null'), call('42')]).toEqual(['exec', 'exec', 'exec null', 'exec 42'])
  })

  it('takes JSON that is cut as far as it goes, and text that is no JSON as it is', () => {
    expect(call('{"n":1,"cmd":"say \\"hi\\" to \\u00e9very…')).toBe('exec say "hi" to évery…')
    expect(call('{"cmd":"broken \\u00…')).toBe('exec broken \\u00…')
    expect(call('*** Begin Patch')).toBe('exec *** Begin Patch')
  })

  it('shows how a result begins where nothing of its call is stored', () => {
    expect(call('', '3 files')).toBe('exec: 3 files')
    expect(toolLine({ name: null, input: '', output: 'x' })).toBe('tool: x')
  })
})

it('a message without text says its first call or result, else its reasoning, and a message with text says that', () => {
  using memory = buildMemory({ conversations: [{}] })
  const tool = { part_type: 'tool' as const, tool_name: 'read', tool_input: '{"path":"a.ts"}' }
  const reasoning = (text: string) => ({ part_type: 'reasoning' as const, text_content: text })
  const ids = [
    memory.message(1, { content: 'Look at it.', parts: [tool] }),
    memory.message(1, { content: ' ', parts: [reasoning('Why not.'), tool, { ...tool, tool_name: 'write' }] }),
    memory.message(1, { content: '', parts: [reasoning('First this.'), reasoning('Then that.')] }),
    memory.message(1, { content: '' }),
  ]
  const openings = messageOpenings(memory.db, ids, 100)
  expect(ids.map((id) => openings.get(id))).toEqual(['Look at it.', 'read a.ts', 'First this.', ''])
})
