import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEmbedded, recognised } from '#renderer/ui/pictures/embedded-file.ts'
import { picturesIn } from '#renderer/ui/texts/file-references.tsx'
import { pngOf } from '../builders/png.ts'

const uri = (bytes: Uint8Array, mime = 'image/png') => `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`
const bytesOf = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : part)))

describe('a file in a data address', () => {
  it('is a picture with its size when its bytes are one, whatever it is called', () => {
    expect(readEmbedded(uri(pngOf(3, 2), 'text/html'))).toMatchObject({
      kind: 'picture',
      mime: 'image/png',
      width: 3,
      height: 2,
    })
    const gif = bytesOf('GIF89a', [0x40, 0x01, 0xf0, 0x00, 0, 0, 0])
    expect(recognised(gif)).toMatchObject({ mime: 'image/gif', width: 320, height: 240 })
    const jpeg = bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 240, 1, 64, 3, 0, 0, 0])
    expect(recognised(jpeg)).toMatchObject({ mime: 'image/jpeg', width: 320, height: 240 })
    const webp = bytesOf('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 63, 1, 0, 239, 0, 0])
    expect(recognised(webp)).toMatchObject({ mime: 'image/webp', width: 320, height: 240 })
  })

  it('is a PDF with its pages, when they are not compressed', () => {
    const pdf =
      '%PDF-1.4\n1 0 obj<</Type /Pages/Count 2>>endobj 2 0 obj<</Type/Page>>endobj 3 0 obj<</Type /Page>>endobj'
    expect(readEmbedded(uri(bytesOf(pdf)))).toMatchObject({ kind: 'pdf', pages: 2 })
    expect(readEmbedded(uri(bytesOf('%PDF-1.7\n', [...deflateSync(pdf)])))).toMatchObject({ kind: 'pdf', pages: null })
  })

  it('is not shown when it is too large, unfolds to too many pixels, is no picture, or is damaged', () => {
    const why = (url: string) => readEmbedded(url)
    expect(why(uri(new Uint8Array(9 * 1024 * 1024)))).toEqual({ kind: 'refused', why: 'it is larger than 8 MB' })
    const bomb = pngOf(1, 1)
    new DataView(bomb.buffer).setUint32(16, 60_000)
    new DataView(bomb.buffer).setUint32(20, 60_000)
    expect(why(uri(bomb))).toEqual({ kind: 'refused', why: 'the picture has 60000 × 60000 pixels' })
    expect(why(uri(bytesOf('<svg onload="alert(1)"/>'), 'image/svg+xml')).kind).toBe('refused')
    expect(why('data:image/png;base64,%%%')).toEqual({ kind: 'refused', why: 'its Base64 is damaged' })
    expect(why('data:image/png,abc').kind).toBe('refused')
    expect(recognised(pngOf(3, 2).slice(0, 20)).kind).toBe('refused')
  })

  it('never fails on bytes of any kind', () => {
    const magic = fc.constantFrom('\x89PNG\r\n\x1a\n', 'GIF89a', '\xff\xd8\xff', 'RIFF0000WEBPVP8L', '%PDF-', '')
    fc.assert(
      fc.property(magic, fc.uint8Array({ maxLength: 60 }), (start, rest) => {
        expect(['picture', 'pdf', 'refused']).toContain(recognised(bytesOf(start, [...rest])).kind)
      }),
    )
  })
})

describe('references to large files', () => {
  it('name pictures and PDFs by their types, each once, and no other file', () => {
    const reference = (id: string, name: string, mime: string) => `[LCM File: file_${id} | ${name} | ${mime} | 9 bytes]`
    const text = [
      reference('00000000000000aa', 'a.png', 'image/png'),
      reference('00000000000000bb', 'b.ts', 'text/x-typescript'),
      reference('00000000000000cc', 'c.pdf', 'application/pdf'),
      reference('00000000000000aa', 'a.png', 'image/png'),
      reference('00000000000000dd', 'd.svg', 'image/svg+xml'),
    ].join(' and ')
    expect(picturesIn(text)).toEqual([
      { id: 'file_00000000000000aa', name: 'a.png' },
      { id: 'file_00000000000000cc', name: 'c.pdf' },
    ])
  })
})
