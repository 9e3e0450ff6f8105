import Database from 'better-sqlite3'

const queries = {
  schema: /* sql */ `
    CREATE VIRTUAL TABLE words USING fts5 (word, content = '', columnsize = 0, tokenize = 'porter unicode61');
    CREATE VIRTUAL TABLE stems USING fts5vocab (words, instance)`,
  clear: /* sql */ `INSERT INTO words (words) VALUES ('delete-all')`,
  add: /* sql */ `INSERT INTO words (rowid, word) VALUES (?, ?)`,
  stems: /* sql */ `SELECT doc, term FROM stems`,
}

/** At most this many stems are remembered, about 10 MB. */
const MOST_KNOWN = 100_000

let connection: Database.Database | null = null
let known = new Map<string, string>()

/**
 * Returns the stems of English words in lower case, by SQLite's own Porter stemmer. A word of another language, or of
 * fewer than three letters, is its own stem. https://www.sqlite.org/fts5.html#porter_tokenizer
 */
export function stemsOf(words: readonly string[]): string[] {
  const unknown = [...new Set(words)].filter((word) => isEnglish(word) && !known.has(word))
  if (unknown.length > 0) learn(unknown)
  return words.map((word) => known.get(word) ?? word)
}

const isEnglish = (word: string): boolean => /^[a-z]{3,40}$/.test(word)

function learn(words: readonly string[]): void {
  if (known.size + words.length > MOST_KNOWN) known = new Map()
  const db = connection ?? open()
  connection = db
  db.transaction(() => {
    db.exec(queries.clear)
    const add = db.prepare(queries.add)
    words.forEach((word, row) => {
      add.run(BigInt(row), word)
    })
    for (const [row, stem] of db.prepare(queries.stems).raw().iterate() as IterableIterator<[number, string]>) {
      known.set(words[row] as string, stem)
    }
  })()
}

function open(): Database.Database {
  const db = new Database(':memory:')
  db.exec(queries.schema)
  return db
}
