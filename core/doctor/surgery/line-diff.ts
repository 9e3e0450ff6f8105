import type { DiffLine } from '#core/contract/surgery.ts'

/** When lines of one text times lines of the other exceed this, one is shown as removed and the other as added. */
const LARGEST_TABLE = 4_000_000

/** Returns the lines to remove and to add that turn one text into the other, and keeps as many lines as possible. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')]
  if (old.length * fresh.length > LARGEST_TABLE) {
    return [...old.map((text) => line('removed', text)), ...fresh.map((text) => line('added', text))]
  }
  const width = fresh.length + 1
  // Cell (i, j) is the number of lines that the rest of one text from i and the rest of the other from j have in
  // common.
  const common = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const [down, right] = [common[(i + 1) * width + j] as number, common[i * width + j + 1] as number]
      common[i * width + j] =
        old[i] === fresh[j] ? (common[(i + 1) * width + j + 1] as number) + 1 : Math.max(down, right)
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < fresh.length) {
    const [was, is] = [old[i], fresh[j]]
    if (was !== undefined && was === is) {
      lines.push(line('same', was))
      i += 1
      j += 1
    } else if (
      is === undefined ||
      (was !== undefined && (common[(i + 1) * width + j] as number) >= (common[i * width + j + 1] as number))
    ) {
      lines.push(line('removed', was ?? ''))
      i += 1
    } else {
      lines.push(line('added', is))
      j += 1
    }
  }
  return lines
}

const line = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text })
