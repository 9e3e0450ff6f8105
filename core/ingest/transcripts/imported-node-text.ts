/**
 * Gives notes for messages that the agent compacted together with an earlier summary, from long to short. The first one
 * that is smaller than its sources is used.
 */
export function placeholderText(messages: number): string[] {
  const what = messages === 1 ? '1 message' : `${messages} messages`
  return [
    `[Extract of ${what} that the agent compacted together with its earlier summary. It wrote no summary of them alone.]`,
    `[${what} compacted with the earlier summary]`,
    `[${what}]`,
    '…',
  ]
}

/** Says whether the text of a node was made by `placeholderText`. */
export const isPlaceholder = (text: string): boolean =>
  /^\[(?:Extract of )?\d+ messages? (?:that the agent compacted together with its|compacted with the) earlier summary\b/.test(
    text,
  ) || /^(?:\[\d+ messages?\]|…)$/.test(text)

/** Gives the note for a compaction without a summary, or with an encrypted one. */
export function untoldText(messages: number, isByHand: boolean): string[] {
  if (isByHand) {
    const cleared = messages === 1 ? '1 message' : `${messages} messages`
    return [
      `[The window was cleared by hand here: ${cleared} left it. The agent does not see them, and no summary of them.]`,
      `[${cleared} cleared by hand]`,
      `[${cleared}]`,
      '…',
    ]
  }
  const what = messages === 1 ? '1 message or summary' : `${messages} messages or summaries`
  return [
    `[The agent took ${what} out of its window here. Its transcript holds no readable summary of them.]`,
    `[${what} taken out; no readable summary]`,
    `[${what}]`,
    '…',
  ]
}
