import { describe, expect, it } from 'vitest'
import { damagedIndexesIn, type StoredObject } from '#core/doctor/rules/damaged-indexes.ts'

const table = (name: string, rootPage: number, sql = `CREATE TABLE ${name} (a)`): StoredObject => ({
  type: 'table',
  name,
  tableName: name,
  rootPage,
  sql,
})
const fullText = (name: string, options: string): readonly StoredObject[] => [
  table(name, 0, `CREATE VIRTUAL TABLE ${name} USING fts5(a${options})`),
  table(`${name}_data`, 20),
  table(`${name}_content`, 21),
]
const OBJECTS: readonly StoredObject[] = [
  table('messages', 2),
  { type: 'index', name: 'by_time', tableName: 'messages', rootPage: 3, sql: 'CREATE INDEX by_time ON messages (a)' },
]

/** The damaged indexes and from what they are rebuilt; null where text may be lost. */
const sorted = (lines: readonly string[], objects = OBJECTS) =>
  damagedIndexesIn(lines, objects)?.map(({ name, of }) => `${name} from ${of}`) ?? null

const MISSING = 'row 7 missing from index by_time'

describe("a line of SQLite's check", () => {
  it.each([
    ['a row that an index lacks', [MISSING, 'wrong # of entries in index by_time']],
    ['a row with other values in an index', ['row 7 values differ from index by_time']],
    ['a broken tree of an index', ['Tree 3 page 3: btreeInitPage() returns error code 11', 'Page 9: never used']],
  ])('touches only an index: %s', (_, lines) => {
    expect(sorted(lines)).toEqual(['by_time from messages'])
  })

  it.each([
    ['a broken tree of a table', ['Tree 2 page 2: btreeInitPage() returns error code 11']],
    ['an index that has more rows than its table', ['wrong # of entries in index by_time']],
    ['a page that nothing reaches, beside sound indexes', ['Page 9: never used']],
    ['a page that nothing reaches, beside an index that lacks a row', [MISSING, 'Page 9: never used']],
    ['two equal keys', ['non-unique entry in index by_time']],
    ['a list of free pages', ['Freelist: size is 3 but should be 4']],
    ['an index that the file does not name', ['row 7 missing from index other']],
    ['a damaged table beside a damaged index', [MISSING, 'Tree 2 page 8: Rowid 4 out of order']],
    ['a line of another kind', [MISSING, 'more than 100 places are damaged']],
  ])('may touch text: %s', (_, lines) => {
    expect(sorted(lines)).toBeNull()
  })

  it.each([
    ['fts5: corruption found reading blob 274877906945 from table "notes"'],
    ['fts5: checksum mismatch for table "notes"'],
    ['malformed inverted index for FTS5 table main.notes'],
    ['unable to validate the inverted index for FTS5 table main.notes: database disk image is malformed'],
    ['Tree 20 page 20 cell 0: Rowid 4 out of order'],
  ])('touches only a full-text index: %s', (line) => {
    expect(sorted([line], fullText('notes', ", content='messages'"))).toEqual(['notes from messages'])
    expect(sorted([line], fullText('notes', ''))).toEqual(['notes from notes_content'])
    // Its texts are stored nowhere, so it cannot be made again.
    expect(sorted([line], fullText('notes', ", content=''"))).toBeNull()
  })

  it('may touch text where a full-text table keeps a copy of its texts', () => {
    expect(sorted(['Tree 21 page 21: btreeInitPage() returns error code 11'], fullText('notes', ''))).toBeNull()
  })
})
