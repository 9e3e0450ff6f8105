/** A part of a text: what is drawn as it is, or a run of characters that nobody would see, or that would move others. */
export type TextPiece =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'hidden'
      /** The characters themselves. */
      readonly text: string
      /** Their short names, as they are drawn: `RLO`, `ZWSP ×3`. */
      readonly sign: string
      /** Their code points and full names, for the tooltip and for a screen reader. */
      readonly name: string
    }

type Name = readonly [sign: string, name: string]

const NAMES = new Map<number, Name>([
  [0x00ad, ['SHY', 'soft hyphen']],
  [0x034f, ['CGJ', 'combining grapheme joiner']],
  [0x061c, ['ALM', 'Arabic letter mark']],
  [0x115f, ['HCF', 'Hangul choseong filler']],
  [0x1160, ['HJF', 'Hangul jungseong filler']],
  [0x180e, ['MVS', 'Mongolian vowel separator']],
  [0x200b, ['ZWSP', 'zero width space']],
  [0x200c, ['ZWNJ', 'zero width non-joiner']],
  [0x200d, ['ZWJ', 'zero width joiner']],
  [0x200e, ['LRM', 'left-to-right mark']],
  [0x200f, ['RLM', 'right-to-left mark']],
  [0x2028, ['LS', 'line separator']],
  [0x2029, ['PS', 'paragraph separator']],
  [0x202a, ['LRE', 'left-to-right embedding']],
  [0x202b, ['RLE', 'right-to-left embedding']],
  [0x202c, ['PDF', 'pop directional formatting']],
  [0x202d, ['LRO', 'left-to-right override']],
  [0x202e, ['RLO', 'right-to-left override']],
  [0x2060, ['WJ', 'word joiner']],
  [0x2061, ['FA', 'function application']],
  [0x2062, ['IT', 'invisible times']],
  [0x2063, ['IS', 'invisible separator']],
  [0x2064, ['IP', 'invisible plus']],
  [0x2066, ['LRI', 'left-to-right isolate']],
  [0x2067, ['RLI', 'right-to-left isolate']],
  [0x2068, ['FSI', 'first strong isolate']],
  [0x2069, ['PDI', 'pop directional isolate']],
  [0x3164, ['HF', 'Hangul filler']],
  [0xfeff, ['BOM', 'zero width no-break space']],
  [0xffa0, ['HWHF', 'halfwidth Hangul filler']],
  [0xfff9, ['IAA', 'interlinear annotation anchor']],
  [0xfffa, ['IAS', 'interlinear annotation separator']],
  [0xfffb, ['IAT', 'interlinear annotation terminator']],
])

const C0 =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** Tab and line feed are drawn, and a carriage return before a line feed is the end of a line. */
const CONTROL = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)`
/** Joiners and variation selectors are part of emoji and of many scripts, where they are left alone. */
const JOINED = String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Kannada}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Gujarati}\p{Script=Khmer}])[\u200c\u200d]`
const FORMAT = String.raw`[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]`
/** The flags of England, Scotland and Wales are written with tags. */
const TAGS = String.raw`(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,7})[\u{e0000}-\u{e007f}]`
const SELECTORS = String.raw`[\u{e0100}-\u{e01ef}]|(?<![\p{Emoji}\p{So}\p{Sm}\p{M}\p{Script=Han}\p{Script=Mongolian}])[\ufe00-\ufe0f]`
const HIDDEN = new RegExp(`(?:${[CONTROL, FORMAT, JOINED, TAGS, SELECTORS].join('|')})+`, 'gu')
/** Most texts have none of them; this answers in a fraction of the time. */
const CANDIDATE = new RegExp(`${CONTROL}|${FORMAT}|[\u200c\u200d\ufe00-\ufe0f\udb40]`)

/** The most names that are listed for one run. */
const MOST_NAMES = 8

/** Divides a text at its hidden characters. Joined, the pieces are the text. */
export function splitHidden(text: string): readonly TextPiece[] {
  if (!CANDIDATE.test(text)) return [{ kind: 'text', text }]
  const pieces: TextPiece[] = []
  let from = 0
  for (const { 0: run, index } of text.matchAll(HIDDEN)) {
    if (index > from) pieces.push({ kind: 'text', text: text.slice(from, index) })
    pieces.push({ kind: 'hidden', text: run, ...labelled(run) })
    from = index + run.length
  }
  if (from < text.length || pieces.length === 0) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}

/** Returns a text for a tooltip or a title, in which hidden characters are written as `⟨RLO⟩`. */
export function withSigns(text: string): string {
  return splitHidden(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `⟨${piece.sign}⟩`))
    .join('')
}

/** Names a run of hidden characters. Equal neighbours are counted. */
function labelled(run: string): { readonly sign: string; readonly name: string } {
  const groups: { sign: string; name: string; code: number; count: number }[] = []
  for (const char of run) {
    const code = char.codePointAt(0) ?? 0
    const last = groups.at(-1)
    if (last?.code === code) last.count += 1
    else {
      const [sign, name] = nameOf(code)
      groups.push({ sign, name, code, count: 1 })
    }
  }
  const spelled = spelledBy(run)
  if (spelled !== '') return { sign: `TAG ×${[...run].length}`, name: `Tag characters, which spell “${spelled}”` }
  const shown = groups.slice(0, MOST_NAMES)
  const more = groups.length - shown.length
  const times = (count: number) => (count === 1 ? '' : ` ×${count}`)
  return {
    sign: `${shown.map(({ sign, count }) => `${sign}${times(count)}`).join(' ')}${more > 0 ? ' …' : ''}`,
    name: `${shown.map(({ name, code, count }) => `U+${hex(code)} ${name}${times(count)}`).join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
  }
}

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, '0')

function nameOf(code: number): Name {
  const known = NAMES.get(code)
  if (known !== undefined) return known
  if (code < 0x20) return [C0[code] ?? hex(code), 'control character']
  if (code === 0x7f) return ['DEL', 'control character']
  if (code < 0xa0) return [hex(code), 'control character']
  if (code >= 0xfe00 && code <= 0xfe0f) return [`VS${code - 0xfe00 + 1}`, 'variation selector']
  if (code >= 0xe0100) return [`VS${code - 0xe0100 + 17}`, 'variation selector']
  return code >= 0xe0000 ? ['TAG', 'tag character'] : [hex(code), 'invisible character']
}

/** Returns the text that tag characters spell, which a model reads although nobody sees it. */
function spelledBy(run: string): string {
  let text = ''
  for (const char of run) {
    const code = char.codePointAt(0) ?? 0
    if (code >= 0xe0020 && code < 0xe007f) text += String.fromCharCode(code - 0xe0000)
  }
  return text.slice(0, 200)
}
