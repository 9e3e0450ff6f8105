/**
 * Parts of a message out of a JSON array of its blocks, as SQL over `json_each(…) AS e`: a row a block, nothing computed
 * before it is asked for. Block types that begin with "lcm:" are put in by a system for what is no block in the file.
 */

/** Unknown blocks are kept as they came, up to this size. */
const LONGEST_RAW = 65_536

/** The first of some fields of a block that is there; NULL for a block that is no object. */
const field = (...paths: readonly string[]): string => {
  const found = paths.map((path) => `json_extract(e.value, '$.${path}')`)
  return `iif(e.type = 'object', ${found.length === 1 ? found[0] : `coalesce(${found.join(', ')})`}, NULL)`
}

const TYPE = field('type')
const CALLS = `'tool_use', 'toolCall', 'tool_call'`
const RESULTS = `'tool_result', 'toolResult'`
const FILES = `'image', 'document', 'file'`
const REASONING = `'thinking', 'reasoning', 'redacted_thinking'`

/** What a block of text says; NULL for all others. */
const SAID = `CASE WHEN e.type = 'text' THEN e.value WHEN ${TYPE} = 'text' THEN ${field('text')} END`

/** JSON text in which a system's own block stands before those of a JSON array, or alone before NULL. */
export const withFirst = (block: string, blocks: string): string =>
  `iif(coalesce(json_array_length(${blocks}), 0) = 0, '[${block}]', '[${block},' || substr(json(${blocks}), 2))`

/** Text of a tool result's blocks, line by line. `json` holds them at `path` as a text or as an array. */
export const resultText = (json: string, path: string): string => `CASE json_type(${json}, '${path}')
      WHEN 'array' THEN (
        SELECT group_concat(iif(t.type = 'object', json_extract(t.value, '$.text'), t.value), char(10) ORDER BY t.key)
        FROM json_each(${json}, '${path}') AS t
      )
      ELSE json_extract(${json}, '${path}') END`

/** What a system says of its own blocks: expressions by block type. */
export type OwnBlocks = Readonly<Record<string, Readonly<Partial<Record<BlockColumn, string>>>>>

type BlockColumn =
  | 'part_type'
  | 'is_content'
  | 'is_synthetic'
  | 'tool_call_id'
  | 'tool_name'
  | 'tool_status'
  | 'text_content'
  | 'tool_input'
  | 'tool_output'
  | 'step_reason'
  | 'step_tokens_in'
  | 'step_tokens_out'
  | 'step_cost'
  | 'metadata'

/** What standard blocks give. Names of Anthropic's and of Pi's block types. */
const STANDARD: Readonly<Partial<Record<BlockColumn, string>>> = {
  part_type: `CASE
    WHEN ${TYPE} IN (${REASONING}) THEN 'reasoning'
    WHEN ${TYPE} IN (${CALLS}, ${RESULTS}) THEN 'tool'
    WHEN ${TYPE} IN (${FILES}) THEN 'file'
    ELSE 'text' END`,
  tool_call_id: `CASE
    WHEN ${TYPE} IN (${CALLS}) THEN ${field('id', 'toolCallId', 'tool_call_id')}
    WHEN ${TYPE} IN (${RESULTS}) THEN ${field('toolUseId', 'tool_use_id', 'toolCallId', 'tool_call_id')} END`,
  tool_name: `CASE WHEN ${TYPE} IN (${CALLS}, ${RESULTS}) THEN ${field('name', 'toolName', 'tool_name')} END`,
  tool_status: `CASE WHEN ${TYPE} IN (${RESULTS})
    THEN iif(coalesce(${field('isError', 'is_error')}, 0), 'error', 'completed') END`,
  text_content: `CASE
    WHEN ${TYPE} IN (${REASONING}) THEN ${field('thinking', 'text')} ELSE ${SAID} END`,
  tool_input: `CASE WHEN ${TYPE} IN (${CALLS}) THEN coalesce(e.value -> '$.arguments', e.value -> '$.input', '{}') END`,
  tool_output: `CASE WHEN ${TYPE} IN (${RESULTS}) THEN coalesce(${resultText('e.value', '$.content')}, '') END`,
  metadata: `CASE
    WHEN ${TYPE} IN (${FILES})
      THEN json_object('bytes', length(${field('data', 'source.data')}) * 3 / 4)
    WHEN ${TYPE} = 'redacted_thinking' THEN '{"redacted":true}'
    WHEN e.type = 'text' OR ${TYPE} IN ('text', ${REASONING}, ${CALLS}, ${RESULTS}) THEN NULL
    WHEN length(e.value) > ${LONGEST_RAW} THEN json_object('leftOut', length(e.value) || ' characters')
    WHEN e.type = 'object' THEN e.value ELSE json_quote(e.value) END`,
}

/**
 * Columns of `message_parts` over blocks. A block that says all that the message says is not given its text again.
 * @param messageId expression of the message's number
 * @param content expression of the message's text
 */
export function blockColumns(messageId: string, content: string, own: OwnBlocks): Readonly<Record<string, string>> {
  const types = Object.keys(own)
  const choice = (column: BlockColumn, otherwise: string): string => {
    const cases = types.map(
      (type) => `WHEN '${type}' THEN ${own[type]?.[column] ?? (column.startsWith('is_') ? '0' : 'NULL')}`,
    )
    return cases.length === 0 ? otherwise : `CASE ${TYPE} ${cases.join(' ')} ELSE ${otherwise} END`
  }
  /** A field may hold anything. */
  const text = (expression: string): string => `CAST(${expression} AS TEXT)`
  const texts: readonly BlockColumn[] = [
    'part_type',
    'tool_call_id',
    'tool_name',
    'tool_status',
    'tool_input',
    'tool_output',
    'step_reason',
    'metadata',
  ]
  const numbers: readonly BlockColumn[] = ['step_tokens_in', 'step_tokens_out', 'step_cost']
  const ofFile = (...paths: readonly string[]): string =>
    text(`CASE WHEN ${TYPE} IN (${FILES}) THEN ${field(...paths)} END`)
  return {
    part_id: `'msg_' || ${messageId} || '/' || coalesce(e.key, 0)`,
    message_id: messageId,
    ordinal: 'coalesce(e.key, 0)',
    is_content: choice('is_content', `coalesce(${SAID} = ${content}, 0)`),
    is_synthetic: choice('is_synthetic', '0'),
    is_ignored: '0',
    file_mime: ofFile('mimeType', 'mediaType', 'source.media_type'),
    file_name: ofFile('fileName', 'name', 'title'),
    file_url: ofFile('url', 'source.url'),
    ...Object.fromEntries(texts.map((column) => [column, text(choice(column, STANDARD[column] ?? 'NULL'))])),
    ...Object.fromEntries(numbers.map((column) => [column, choice(column, 'NULL')])),
    text_content: text(choice('text_content', `iif(${SAID} = ${content}, NULL, ${STANDARD.text_content})`)),
  }
}
