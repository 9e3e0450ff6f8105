// Asks SQLite's own tokenizers about every code point and writes what they answer as a table for the core, so that a
// scan without an index finds exactly what the index finds. Run it after an update of better-sqlite3:
//   node scripts/unicode61-table.mjs > core/search/query/unicode61-table.ts
import Database from 'better-sqlite3'

const LAST = 0x10ffff
const isSurrogate = (code) => code >= 0xd800 && code <= 0xdfff

/** Returns the terms of `before + character + after`, by code point. */
function askTokenizer(tokenizer, before, after) {
  const db = new Database(':memory:')
  db.exec(`CREATE VIRTUAL TABLE asked USING fts5 (text, tokenize = '${tokenizer}');
           CREATE VIRTUAL TABLE answers USING fts5vocab (asked, 'instance')`)
  const insert = db.prepare('INSERT INTO asked (rowid, text) VALUES (?, ?)')
  db.transaction(() => {
    for (let code = 1; code <= LAST; code += 1) {
      if (!isSurrogate(code)) insert.run(BigInt(code), before + String.fromCodePoint(code) + after)
    }
  })()
  const terms = new Map()
  for (const { doc, term } of db.prepare('SELECT doc, term FROM answers ORDER BY doc, offset').iterate()) {
    terms.set(doc, [...(terms.get(doc) ?? []), term])
  }
  db.close()
  return terms
}

const words = askTokenizer('unicode61 remove_diacritics 2', '0', '1')
const trigrams = askTokenizer('trigram', '', '01')
const second = (term) => [...term][1].codePointAt(0)

/** The lengths of ranges of code points, alternately inside and outside of tokens. */
const ranges = [1]
let isToken = false
const marks = []
const caseFolds = []
const bases = new Map()
for (let code = 1; code <= LAST; code += 1) {
  const [term = '', ...more] = words.get(code) ?? ['01']
  const isMark = more.length === 0 && term === '01' && !isSurrogate(code)
  const isLetter = more.length === 0 && term !== '01'
  if (isMark) marks.push(code)
  if (isLetter === isToken) ranges[ranges.length - 1] += 1
  else ranges.push(1)
  isToken = isLetter
  const lower = trigrams.has(code) ? trigrams.get(code)[0].codePointAt(0) : code
  if (lower !== code) caseFolds.push([code, lower])
  if (isLetter && second(term) !== lower) bases.set(lower, second(term))
}

/** Pairs at equal distances become one entry: first, how many, step, difference. */
function progressions(pairs) {
  const entries = []
  for (const [from, to] of pairs) {
    const last = entries.at(-1)
    const step = last ? from - (last.first + (last.count - 1) * last.step) : 0
    if (last && last.difference === to - from && (last.count === 1 ? step <= 2 : step === last.step)) {
      if (last.count === 1) last.step = step
      last.count += 1
    } else entries.push({ first: from, count: 1, step: 1, difference: to - from })
  }
  return entries.map(({ first, count, step, difference }) => [first, count, step, difference])
}

const base36 = (numbers) => numbers.map((number) => number.toString(36)).join(' ')
const literal = (name, comment, lists) => {
  const text = lists.join(',')
  const lines = text.match(/.{1,108}/g) ?? []
  return `/** ${comment} */\nexport const ${name} =\n${lines.map((line) => `  '${line}'`).join(' +\n')}\n`
}

console.log(`// Made by scripts/unicode61-table.mjs from SQLite ${new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get()}. Do not edit. Numbers are in base 36.
`)
console.log(
  literal('RANGES', 'Lengths of ranges of code points from 0: outside tokens, in tokens, outside, …', [base36(ranges)]),
)
console.log(literal('MARKS', 'Code points that are dropped inside a token.', [base36(marks)]))
console.log(
  literal(
    'CASE_FOLDS',
    'Letters that have a small form: first, count, step, difference.',
    progressions(caseFolds).map(base36),
  ),
)
const byBase = Map.groupBy(
  [...bases.keys()].sort((a, b) => a - b),
  (letter) => bases.get(letter),
)
console.log(
  literal(
    'BASE_LETTERS',
    'A base letter and the small letters that become it when they lose their diacritic.',
    [...byBase].map(([base, letters]) => base36([base, ...letters])),
  ).trimEnd(),
)
