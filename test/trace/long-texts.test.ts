import { expect, it } from 'vitest'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { LONGEST_TEXT, readingDetails } from '#core/trace/details.ts'
import { NodeComparer, SourceValues } from '#core/trace/node-fates.ts'
import { toldTextsOf } from '#core/trace/node-texts.ts'
import { TextIndexes } from '#core/trace/text-indexes.ts'
import { TimeSlice, withoutYielding } from '#core/yielding.ts'
import { TestMemory } from '../builders/memory.ts'

const facts = (from: number): string =>
  Array.from(
    { length: 10 },
    (_, line) => `Line ${from + line}: src/pay/retry${line}.ts must never wait ${line} s.`,
  ).join('\n')

/** The details of a message that ends with so many characters of no detail and more facts, and their fates in itself. */
async function comparedWithItself(filler: number) {
  using file = new TestMemory()
  const content = `${facts(0)}\n${'and so on and so on\n'.repeat(filler / 20)}${facts(10)}`
  file.messages(file.conversation(), [{ content }])
  const { db } = file
  const memory = new MemoryReader(db).memory(1)
  const details = withoutYielding(readingDetails([...toldTextsOf(db, memory, ['msg_1'])].flat()))
  const options = {
    sources: new SourceValues(db, memory),
    memory,
    details,
    indexes: new TextIndexes(db),
    slice: new TimeSlice(),
  }
  const [own, any] = [await new NodeComparer(options).ofOwn('msg_1'), await new NodeComparer(options).of('msg_1')]
  return { details, own, any }
}

it('takes the details of a long text as kept in it, where they were read, and a comparison with all of it agrees', async () => {
  const { details, own, any } = await comparedWithItself(LONGEST_TEXT)
  expect(any.text.length).toBeGreaterThan(LONGEST_TEXT)
  const read = details.sentences.flatMap((sentence) => sentence.details)
  expect(own.fates.map(({ at }) => at)).toEqual(read.map(({ told: text, start, end }) => ({ text, start, end })))
  expect(own.fates.map(({ fate }) => fate)).toEqual(any.fates.map(({ fate }) => fate))
  expect(new Set(any.fates.map(({ fate }) => fate))).toEqual(new Set(['kept']))
})

it('compares the details of any other text with all of it', async () => {
  const { own, any } = await comparedWithItself(2000)
  expect(own).toEqual(any)
})
