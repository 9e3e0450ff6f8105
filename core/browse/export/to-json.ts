import type { MemoryInfo } from '../../contract/memory.ts'
import type { Exported } from './exported.ts'

type Options = {
  readonly isSanitized: boolean
  /** How the caller's programs are told values: times above all. */
  readonly asJson: (value: unknown) => unknown
}

/** The whole as one JSON document, in pieces: no more than a message is held at a time. */
export function* toJson(
  info: MemoryInfo,
  conversations: Iterable<Exported>,
  { isSanitized, asJson }: Options,
): Generator<string> {
  const document = (value: unknown): string => JSON.stringify(asJson(value))
  const head = { format: 'lcm-inspector', version: 1, system: info.system, systemVersion: info.systemVersion }
  yield `${JSON.stringify({ ...head, sanitized: isSanitized }, null, 2).slice(0, -2)},\n  "conversations": [`
  let before = ''
  for (const { conversation, window, files, summaries, messages } of conversations) {
    yield `${before}\n${document({ ...conversation, window, files }).slice(0, -1)},\n"summaries": [`
    yield* list(summaries(), document)
    yield '],\n"messages": ['
    yield* list(messages(), document)
    yield ']}'
    before = ','
  }
  yield '\n  ]\n}\n'
}

function* list(values: Iterable<unknown>, document: (value: unknown) => string): Generator<string> {
  let before = '\n'
  for (const value of values) {
    yield `${before}${document(value)}`
    before = ',\n'
  }
}
