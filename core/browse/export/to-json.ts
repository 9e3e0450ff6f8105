import type { MemoryInfo } from '#core/contract/memory.ts'
import type { Exported } from './exported.ts'

type Options = {
  readonly isSanitized: boolean
  /** Converts values, times above all, to the form that callers' programs read. */
  readonly asJson: (value: unknown) => unknown
}

/** Writes one JSON document in pieces, so that no more than one message is held at a time. */
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
