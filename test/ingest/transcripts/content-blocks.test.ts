import { expect, it } from 'vitest'
import { toPart, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'

it('says each text of a block of an unknown type once, those in fields of known names first', () => {
  const block = { type: 'news', note: 'a note of several words', items: [{ text: 'one and two' }], body: 'one' }
  expect(unknownBlock({ ...block, content: 'one and two' }).text).toBe('one and two\n\na note of several words')
})

it('takes a block of many texts in the time of a few readings of it', { timeout: 5000 }, () => {
  const content = Array.from({ length: 40_000 }, (_, n) => ({ text: `line ${n} of a long list` }))
  expect(unknownBlock({ type: 'news', content }).text?.split('\n\n')).toHaveLength(40_000)
})

it('leaves the bytes of a picture in the transcript, also where its address holds them', () => {
  const base64 = Buffer.from('a picture').toString('base64')
  const given = toPart({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } })
  const addressed = toPart({ type: 'image', source: { type: 'url', url: `data:image/png;base64,${base64}` } })
  expect(addressed).toEqual(given)
  expect(addressed).toMatchObject({ text: '[image image/png 9 bytes]', part: { fileUrl: null } })
})
