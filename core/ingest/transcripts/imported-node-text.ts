/**
 * What is said of messages that the agent compacted together with its earlier summary, from long to short: the first
 * text that is smaller than what it stands for is taken.
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

/** The text of a node begins as `placeholderText` makes it, or is one of its shorter forms. */
export const isPlaceholder = (text: string): boolean =>
  /^\[(?:Extract of )?\d+ messages? (?:that the agent compacted together with its|compacted with the) earlier summary\b/.test(
    text,
  ) || /^(?:\[\d+ messages?\]|…)$/.test(text)

/** For a compaction of which the transcript holds no summary in the clear, or none at all. */
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

/** For a branch that was given up. */
export function branchText(messages: number): string[] {
  const what = messages === 1 ? '1 message' : `${messages} messages`
  return [`[${what} on a branch that was given up. The agent does not see them.]`, '[branch given up]', '…']
}
