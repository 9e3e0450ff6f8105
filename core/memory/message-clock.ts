/**
 * Adjusts the times of messages so that they never decrease, in milliseconds. All are NaN when no message has a time.
 *
 * Clocks are set back, sessions are merged, and some systems give a whole session the same second. The longest sequence
 * of messages whose times do not decrease keeps its times. Every other message gets the time of the last such message
 * before it, or of the first one after it at the very start. So one wrong time moves one message.
 */
export function steadyClock(createdAtMs: Float64Array): Float64Array {
  return isSteady(createdAtMs) ? createdAtMs : placed(createdAtMs, longestSteadySequence(createdAtMs))
}

function isSteady(times: Float64Array): boolean {
  // An index is used because an iterator would make an object of every number.
  let before = Number.NEGATIVE_INFINITY
  for (let position = 0; position < times.length; position += 1) {
    const time = times[position] as number
    // The comparison is negated so that NaN (no time) counts as unsteady.
    if (!(time >= before)) return false
    before = time
  }
  return true
}

/** Marks the members of a longest non-decreasing sequence by patience sorting in O(n log n). */
function longestSteadySequence(times: Float64Array): Uint8Array {
  const before = new Int32Array(times.length)
  const tails = new Int32Array(times.length)
  let piles = 0
  times.forEach((time, position) => {
    if (Number.isNaN(time)) return
    let low = 0
    let high = piles
    while (low < high) {
      const middle = (low + high) >> 1
      if ((times[tails[middle] as number] as number) <= time) low = middle + 1
      else high = middle
    }
    before[position] = low === 0 ? -1 : (tails[low - 1] as number)
    tails[low] = position
    if (low === piles) piles += 1
  })
  const kept = new Uint8Array(times.length)
  for (
    let position = piles === 0 ? -1 : (tails[piles - 1] as number);
    position >= 0;
    position = before[position] as number
  ) {
    kept[position] = 1
  }
  return kept
}

function placed(times: Float64Array, kept: Uint8Array): Float64Array {
  const steady = new Float64Array(times.length)
  let now = times[kept.indexOf(1)] ?? Number.NaN
  for (let position = 0; position < times.length; position += 1) {
    if (kept[position] === 1) now = times[position] as number
    steady[position] = now
  }
  return steady
}
