import { FORMS } from './facts.ts'
import { HELD_OUT_FACTS } from './held-out-facts.ts'
import { figuresOf, isRight, measureFacts, PARTS, supportOf } from './measure.ts'
import { TUNING_FACTS } from './tuning-facts.ts'

/*
 * How well trace, loss report, survival, probe and provenance tell what became of planted facts: `npm run facts`. With
 * `-- --wrong` it lists the facts for tuning that the trace tells wrongly. Those that are held out are never listed.
 */

const percent = ({ share, of }: { readonly share: number; readonly of: number }): string =>
  `${share.toFixed(2)} of ${of}`.padEnd(14)

for (const [name, facts] of [
  ['for tuning', TUNING_FACTS],
  ['held out', HELD_OUT_FACTS],
] as const) {
  const outcomes = await measureFacts(facts)
  const columns = [...FORMS, 'precision'] as const
  console.log(`\n${facts.length} facts ${name}\n${' '.repeat(11)}${columns.map((one) => one.padEnd(14)).join('')}`)
  for (const part of PARTS) {
    const figures = figuresOf(outcomes, part)
    console.log(`${part.padEnd(11)}${columns.map((one) => percent(figures[one])).join('')}`)
  }
  const { kept, changed, denied } = supportOf(outcomes)
  console.log(`provenance ${percent(kept)}${' '.repeat(14)}${percent(changed)}${percent(denied)}`)
  if (facts !== TUNING_FACTS || !process.argv.includes('--wrong')) continue
  for (const { fact, form, details, ...found } of outcomes) {
    const wrong = PARTS.filter((part) => !isRight(form, found[part], part))
    const isUnsupported = form !== 'reworded' && found.isSupported !== null && found.isSupported !== (form === 'kept')
    const all = [...wrong.map((part) => `${part} ${found[part]}`), ...(isUnsupported ? ['provenance'] : [])]
    if (all.length > 0)
      console.log(
        `\n${form}: ${all.join(', ')}\n  ${fact.said}\n  ${form === 'dropped' ? '' : fact[form]}\n  ${details}`,
      )
  }
}
