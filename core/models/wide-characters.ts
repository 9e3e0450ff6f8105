/** Recognises han, kana, bopomofo, hangul, yi and full-width forms of the basic plane. */
export function isWide(unit: number): boolean {
  if (unit < 0x2e80) return unit >= 0x1100 && unit <= 0x11ff
  if (unit <= 0xa4cf) return true
  if (unit < 0xac00) return unit >= 0xa960 && unit <= 0xa97f
  if (unit <= 0xd7ff) return true
  return (unit >= 0xf900 && unit <= 0xfaff) || (unit >= 0xfe30 && unit <= 0xfe4f) || (unit >= 0xff00 && unit <= 0xffef)
}
