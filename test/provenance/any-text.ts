import fc from 'fast-check'

const CHARACTERS = [
  ...'aBz19 ._/-`"“”\'…\n\\#:;()!?是不数据。、éñßЖя한ไก🚀\u0301\u202e\u0000\ud800',
  'not ',
  'src/',
  '42',
  'https://',
]

/** Text of everything that means something to somebody. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength })
