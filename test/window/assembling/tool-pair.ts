import type { MessageSpec } from '#test/builders/memory.ts'

/** An assistant message that calls tools, with the calls' ids. */
export const call = (ids: readonly string[], spec: MessageSpec = {}): MessageSpec => ({
  role: 'assistant',
  content: `calling ${ids.join(' and ')}`,
  parts: [
    { part_type: 'text', is_content: 1 },
    ...ids.map((id) => ({
      part_type: 'tool' as const,
      tool_call_id: id,
      tool_name: 'bash',
      tool_input: `{"command":"run ${id}"}`,
    })),
  ],
  ...spec,
})

/** The tool message that answers a call. */
export const result = (id: string, spec: MessageSpec = {}): MessageSpec => ({
  role: 'tool',
  content: `output of ${id}`,
  parts: [{ part_type: 'tool', is_content: 1, tool_call_id: id, tool_name: 'bash', tool_status: 'completed' }],
  ...spec,
})
