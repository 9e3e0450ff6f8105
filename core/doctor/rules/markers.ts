/** What a text says about how it was made, by marks that systems put at its beginning or end. */
export type Failure = { readonly isFallback: boolean; readonly isCut: boolean; readonly detail: string }

/** Marks count only where systems put them, because a conversation about these systems may quote them anywhere. */
const TRUNCATED_WINDOW = 40
const FALLBACK_WINDOW = 80

const EMERGENCY_MODEL = /^emergency[-_ ]?fallback$|^(deterministic-)?fallback$/i
const TRUNCATED = /\[Truncated from [\d,]+ tokens\]\s*$/
const CAPPED = /\[Capped from [\d,]+ tokens to ~?[\d,]+\]\s*$/
const BARE_TRUNCATION = /\[Truncated for context management\]\s*$/
const FALLBACK = '[LCM fallback summary'
const DETERMINISTIC_CUT = '[...deterministic truncation — details available via lcm_expand...]'
const REASONING =
  /^(<think(ing)?>|\[thinking\]|\[\{"type":"(thinking|reasoning|redacted_thinking)"|\{"type":"(thinking|reasoning)")/i
const COPIED = /^(<summary id="|\[LCM Context — Compressed History\])/

/**
 * Tells from the text of a summary or the name of its model whether the summariser failed. Null when neither shows a
 * failure.
 */
export function failureOf(text: string, model: string | null): Failure | null {
  const start = text.slice(0, 200).trimStart()
  const end = text.slice(-TRUNCATED_WINDOW * 2)
  if (TRUNCATED.test(end) && end.length - end.search(TRUNCATED) <= TRUNCATED_WINDOW) {
    return { isFallback: true, isCut: true, detail: 'its text was cut: it ends with "[Truncated from … tokens]"' }
  }
  const tail = text.slice(-FALLBACK_WINDOW)
  if (start.startsWith(FALLBACK) || tail.includes(FALLBACK)) {
    const isCut = (start.startsWith(FALLBACK) ? start : tail).includes('truncated')
    return { isFallback: true, isCut, detail: 'it says itself that it is a fallback summary' }
  }
  if (CAPPED.test(end)) return { isFallback: false, isCut: true, detail: 'it ends with "[Capped from … tokens …]"' }
  if (BARE_TRUNCATION.test(end)) return { isFallback: true, isCut: true, detail: 'it was truncated without a model' }
  const cut = text.indexOf(DETERMINISTIC_CUT)
  if (cut > 0 && cut + DETERMINISTIC_CUT.length < text.length && isOnItsOwnLine(text, cut)) {
    return { isFallback: true, isCut: true, detail: 'its middle was cut out without a model' }
  }
  if (REASONING.test(start)) {
    return { isFallback: true, isCut: false, detail: 'it is the reasoning of a model, not its summary' }
  }
  if (COPIED.test(start)) return { isFallback: true, isCut: false, detail: 'it is a copy of what a window shows' }
  if (model !== null && EMERGENCY_MODEL.test(model.trim())) {
    return { isFallback: true, isCut: false, detail: `no model made it: it is signed "${model.trim()}"` }
  }
  return null
}

/** The system writes this mark between two empty lines; a quotation stands in a sentence. */
function isOnItsOwnLine(text: string, at: number): boolean {
  return text[at - 1] === '\n' && text[at + DETERMINISTIC_CUT.length] === '\n'
}
