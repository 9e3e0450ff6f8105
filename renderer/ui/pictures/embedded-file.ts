/** What is in a file that stands in a text as a `data:` address. */
export type EmbeddedFile =
  | {
      readonly kind: 'picture'
      readonly mime: string
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly width: number
      readonly height: number
    }
  | {
      readonly kind: 'pdf'
      readonly bytes: Uint8Array<ArrayBuffer>
      /** Null when they are stored compressed. */
      readonly pages: number | null
    }
  /** It is not shown, for this reason. */
  | { readonly kind: 'refused'; readonly why: string }

/** What is larger is not shown. */
export const MOST_BYTES = 8 * 1024 * 1024
const refused = (why: string): EmbeddedFile => ({ kind: 'refused', why })
export const TOO_LARGE = refused('it is larger than 8 MB')
export const NO_PICTURE = refused('it is no PNG, JPEG, GIF, WebP or PDF')
/** A small file can unfold to a picture that fills the memory. */
const MOST_PIXELS = 32_000_000

export const isEmbedded = (url: string | null): url is string => url?.startsWith('data:') ?? false

/**
 * Reads a `data:` address. What it is follows from its bytes and not from what it is called, so that nothing but a
 * picture is ever drawn as one.
 */
export function readEmbedded(url: string): EmbeddedFile {
  const head = /^data:[^,]{0,300}?;base64,/.exec(url)?.[0]
  if (head === undefined) return refused('it is not stored as Base64')
  if ((url.length - head.length) * 0.75 > MOST_BYTES) return TOO_LARGE
  const bytes = decoded(url.slice(head.length))
  return bytes === null ? refused('its Base64 is damaged') : recognised(bytes)
}

/** Recognises pictures and PDFs by their first bytes. */
export function recognised(bytes: Uint8Array<ArrayBuffer>): EmbeddedFile {
  if (startsWith(bytes, '%PDF-')) return { kind: 'pdf', bytes, pages: pagesOf(bytes) }
  const found = PICTURES.find(({ magic, at }) => startsWith(bytes, magic, at))
  if (found === undefined) return NO_PICTURE
  const size = found.sizeOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (size === null || size[0] === 0 || size[1] === 0)
    return refused('the picture is damaged: it does not say its size')
  const [width, height] = size
  if (width * height > MOST_PIXELS) return refused(`the picture has ${width} × ${height} pixels`)
  return { kind: 'picture', mime: found.mime, bytes, width, height }
}

type Size = readonly [width: number, height: number]
type Format = {
  readonly mime: string
  readonly magic: string
  readonly at?: number
  /** Returns null when the bytes end before the size. */
  readonly sizeOf: (view: DataView) => Size | null
}

const PICTURES: readonly Format[] = [
  {
    mime: 'image/png',
    magic: '\x89PNG\r\n\x1a\n',
    sizeOf: (view) => (view.byteLength < 24 ? null : [view.getUint32(16), view.getUint32(20)]),
  },
  {
    mime: 'image/gif',
    magic: 'GIF8',
    sizeOf: (view) => (view.byteLength < 10 ? null : [view.getUint16(6, true), view.getUint16(8, true)]),
  },
  { mime: 'image/jpeg', magic: '\xff\xd8\xff', sizeOf: jpegSize },
  { mime: 'image/webp', magic: 'WEBP', at: 8, sizeOf: webpSize },
]

/** The size stands in the frame header, after segments of any length. */
function jpegSize(view: DataView): Size | null {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)]
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return null
}

function webpSize(view: DataView): Size | null {
  if (view.byteLength < 30) return null
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)))
  const three = (at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  switch (kind) {
    case 'VP8 ':
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff]
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
    }
    case 'VP8X':
      return [three(24) + 1, three(27) + 1]
    default:
      return null
  }
}

function pagesOf(bytes: Uint8Array): number | null {
  const text = new TextDecoder('latin1').decode(bytes)
  const pages = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0
  return pages === 0 ? null : pages
}

function startsWith(bytes: Uint8Array, magic: string, from = 0): boolean {
  return [...magic].every((character, index) => bytes[from + index] === character.charCodeAt(0))
}

/** Returns null for what is no Base64. */
export function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64)
    return Uint8Array.from(text, (character) => character.charCodeAt(0))
  } catch {
    // The caller says that it is damaged.
    return null
  }
}
