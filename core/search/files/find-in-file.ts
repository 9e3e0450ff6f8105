import type { FileHit } from '#core/contract/file.ts'
import { markBefore } from '#core/files/file-index.ts'
import type { FindInFile } from '#core/files/file-reader.ts'
import { TimeSlice } from '#core/yielding.ts'
import { regexPlan } from '../patterns/regex.ts'
import { literalPlan, type Plan } from '../planning/plan.ts'
import { hitsInContent } from './file-hits.ts'

type Search = Parameters<FindInFile>[2]

/** Finds the rows of one file, from a row on, in which a match begins. */
export const findInFile: FindInFile = async ({ path }, marks, view, signal) => {
  const { fromRow, limit } = view
  const plan = planOf(view, signal)
  const start = markBefore(marks, fromRow, ({ row }) => row)
  const hits: FileHit[] = []
  try {
    for await (const step of hitsInContent(path, plan, start, new TimeSlice(signal))) {
      for (const { row, line, snippet } of step.hits) {
        if (row < fromRow || line === null) continue
        if (hits.length === limit) return { hits, next: row }
        const { snippet: excerpt, matches } = snippet()
        hits.push({ row, line, excerpt, match: matches[0] ?? [0, 0] })
      }
    }
    return { hits, next: null }
  } finally {
    plan.matcher.elsewhere?.close()
  }
}

function planOf({ query, isRegex, matchCase }: Search, signal: AbortSignal): Plan {
  if (isRegex) return regexPlan(query, matchCase, signal)
  return literalPlan(query.toWellFormed(), matchCase)
}
