import { expect, it } from 'vitest'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'

it.each([
  [
    'the words after a picture',
    '<image name=[Image #1] path="/home/me/dot.png">\n</image>\nWhat is on it?',
    'What is on it?',
  ],
  [
    'the words after a picture that is a file of the memory',
    '<image name=[Image #1] path="/home/me/dot.png">\n\n[image image/png 75 bytes]\n\n</image>\n\nWhat is on it?',
    'What is on it?',
  ],
  ['the description of a picture alone', '[image image/png 75 bytes]', '[image image/png 75 bytes]'],
  ['the words inside of a tag', '<user_input mode="act">Tidy up.\nPlease.</user_input>', 'Tidy up.'],
  ['the words after a reminder', '<system-reminder>\nBe concise.\n</system-reminder>\n\nDo it.', 'Do it.'],
  ['words with a tag of their own', 'Explain <div> and </div>.', 'Explain <div> and </div>.'],
  [
    'the whole text when nothing else is in it',
    '<system-reminder>Be concise.</system-reminder>',
    '<system-reminder>Be concise.</system-reminder>',
  ],
  ['80 characters of a long line', 'x'.repeat(200), `${'x'.repeat(79)}…`],
])('a title is made of %s', (_what, text, title) => {
  expect(oneLine(text)).toBe(title)
})

it.each([
  ['tags that never end', '<image '],
  ['context that never ends', '<system-reminder>'],
])(
  'a title is made of a text with many %s in the time of a few readings of it',
  { timeout: 2000 },
  (_what, opening) => {
    const texts = Array.from({ length: 20 }, () => opening.repeat(100_000 / opening.length))
    for (const text of texts) expect(oneLine(text)).toBe(`${text.slice(0, 79)}…`)
  },
)

it('a title is made of the words behind context that contains other context', () => {
  const context = '<system-reminder>\n<environment_context>Linux</environment_context>\n</system-reminder>\n'
  expect(oneLine(`${context}<session_context>${context}</session_context>Do it.`)).toBe('Do it.')
})
