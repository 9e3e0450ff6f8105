import { hash } from 'node:crypto'
import type { Fields } from '../retrieval/matcher.ts'

const BYTES = 6

/** 48 bits of a hash over the texts of a row: enough to tell that they changed, and exact as a number. */
export function textSignature(fields: Fields): number {
  const lengths = fields.map((field) => field.length).join(' ')
  return hash('sha256', `${lengths}\n${fields.join('')}`, 'buffer').readUIntBE(0, BYTES)
}
