import { expect, it } from 'vitest'
import { isOnlyRecalled, markRecalled, withoutRecalled } from '#core/ingest/recalled-text.ts'

const marked = markRecalled(['The port is 8080.'])

it('takes out what was recalled, with the empty lines behind it, and keeps what stands around it', () => {
  expect(withoutRecalled(`before\n${marked}\n\nbetween ${marked}after`)).toBe('before\nbetween after')
  expect(isOnlyRecalled([` ${marked}\n`])).toBe(true)
})

it('keeps a mark whose text was changed, and whatever stands between it and the next end', () => {
  const changed = marked.replace('8080', '8081')
  expect(withoutRecalled(`${changed} ${marked}`)).toBe(`${changed} `)
  const open = '<recalled-memory id="0123456789abcdef">\n'
  expect(withoutRecalled(`${open}${marked} ${marked}`)).toBe(`${open}${marked} `)
})

it('reads a text once, however many marks in it are never closed', { timeout: 5000 }, () => {
  const text = '<recalled-memory id="0123456789abcdef">\n'.repeat(50_000)
  expect(withoutRecalled(text) === text).toBe(true)
  expect(withoutRecalled(marked + text) === text).toBe(true)
})
