import type { Strata } from '#core/contract/strata.ts'
import { plural } from '#renderer/ui/texts/format.ts'
import { type Scale, toPx } from './viewport.ts'

/** Marks that would overlap, merged. */
export type MarkGroup = {
  /** The middle of the group on the screen. */
  readonly px: number
  readonly x0: number
  readonly x1: number
  readonly uncovered: number
  readonly coveredTwice: number
  /** The id of the first message in question. */
  readonly firstId: string
}

const NEAR_PX = 14

/** Returns the marks in sight, from left to right. */
export function groupMarks(marks: Strata['marks'], scale: Scale): MarkGroup[] {
  const groups: MarkGroup[] = []
  const inSight = marks.filter(({ x0, x1 }) => x1 >= scale.x0 && x0 <= scale.x1)
  for (const mark of inSight.sort((a, b) => a.x0 - b.x0)) {
    const left = Math.max(toPx(scale, mark.x0), scale.left)
    const right = Math.min(toPx(scale, mark.x1), scale.left + scale.width)
    const group: MarkGroup = {
      px: (left + right) / 2,
      x0: mark.x0,
      x1: mark.x1,
      uncovered: mark.kind === 'uncovered' ? mark.messages : 0,
      coveredTwice: mark.kind === 'double_coverage' ? mark.messages : 0,
      firstId: mark.firstId,
    }
    const previous = groups.at(-1)
    if (previous && group.px - previous.px < NEAR_PX) groups[groups.length - 1] = together(previous, group)
    else groups.push(group)
  }
  return groups
}

const together = (a: MarkGroup, b: MarkGroup): MarkGroup => ({
  ...a,
  x1: Math.max(a.x1, b.x1),
  uncovered: a.uncovered + b.uncovered,
  coveredTwice: a.coveredTwice + b.coveredTwice,
})

/** Describes what is wrong, so that the colour is not the only sign. */
export function markText({ uncovered, coveredTwice }: Pick<MarkGroup, 'uncovered' | 'coveredTwice'>): string {
  const parts = [
    uncovered > 0 && `${plural(uncovered, 'message')} in no summary`,
    coveredTwice > 0 && `${plural(coveredTwice, 'message')} covered twice`,
  ]
  return parts.filter((part) => part !== false).join(', ')
}
