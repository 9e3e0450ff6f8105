import type { StoredRow, StoredValue } from './tables.ts'

/** What the column `exact_texts` holds: by column, the text in UTF-16LE as base64. NULL for nearly all rows. */
type ExactTexts = Readonly<Record<string, string>>

const NOT_STORABLE = /\0|\p{Surrogate}/u
const EACH_NOT_STORABLE = /\0|\p{Surrogate}/gu

/**
 * PostgreSQL refuses U+0000 and UTF-16 surrogates without a partner. Such a text is stored with U+FFFD in their places,
 * so that it can be read and searched, and unchanged in `exact_texts`.
 */
export function toStored(row: StoredRow): Record<string, StoredValue | ExactTexts> {
  const exact: Record<string, string> = {}
  const stored: Record<string, StoredValue | ExactTexts> = {}
  for (const [column, value] of Object.entries(row)) {
    if (typeof value === 'string' && NOT_STORABLE.test(value)) {
      exact[column] = Buffer.from(value, 'utf16le').toString('base64')
      stored[column] = value.replace(EACH_NOT_STORABLE, '\ufffd')
    } else {
      // JSON knows no infinite numbers. PostgreSQL reads them from a text.
      stored[column] = typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
    }
  }
  if (Object.keys(exact).length > 0) stored.exact_texts = exact
  return stored
}

/** Puts the exact texts of a row back in their places. */
export function fromStored(row: Readonly<Record<string, unknown>>): StoredRow {
  const { exact_texts: exact, ...read } = row
  const values = read as Record<string, StoredValue>
  if (exact === null || exact === undefined) return values
  for (const [column, text] of Object.entries(exact as ExactTexts)) {
    values[column] = Buffer.from(text, 'base64').toString('utf16le')
  }
  return values
}
