export const FORMS = ['kept', 'reworded', 'changed', 'denied', 'dropped'] as const

/** What a summary did with a fact. Of a dropped one it says nothing. */
export type Form = (typeof FORMS)[number]

export type Fact = Readonly<Record<'said' | Exclude<Form, 'dropped'>, string>>

/** Reads facts: blocks of lines such as `said: …`. Lines with # name the trade. */
export function factsIn(text: string): readonly Fact[] {
  return text
    .split(/\n\s*\n/)
    .map((block) => block.split('\n').filter((line) => line !== '' && !line.startsWith('#')))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const fact = new Map(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]))
      const of = (name: string): string => {
        const form = fact.get(name)
        if (form === undefined) throw new Error(`A fact has no line "${name}": ${lines.join(' | ')}`)
        return form
      }
      return {
        said: of('said'),
        kept: of('kept'),
        reworded: of('reworded'),
        changed: of('changed'),
        denied: of('denied'),
      }
    })
}
