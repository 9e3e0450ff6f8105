import { stem } from './tokens.ts'

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))
const stems = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/).map(stem))

/** Words that tell nothing apart. Compared before their endings are taken off. */
export const STOP_WORDS = list(`
  a about above after again all also am an and any are as at be because been before being below between both but by can
  could did do does doing down during each few for from further had has have having he her here hers him his how i if in
  into is it its itself just me more most my no nor not now of off on once only or other our ours out over own s same she
  should so some such t than that the their theirs them then there these they this those through to too under until up
  very was we were what when where which while who whom why will with would you your yours
  d ll m re ve don didn doesn isn wasn weren won wouldn couldn shouldn hasn haven hadn aren ain cannot never without none
  may might must shall upon via per etc
  der die das und ist nicht ein eine einen einem einer zu den dem des mit von für auf im in es wir ich sie er
  le la les un une des et est dans pour que qui sur pas ne au aux du de
  el los las una y es en por con del se lo
  il lo gli di che e per una un non sono`)

/** How summaries speak about a conversation; the conversation itself seldom says so. By stem. */
export const REPORTING = stems(`
  user users assistant agent tool asked ask asks said says saying told tells mention mentioned mentions noted notes
  note discuss discussed discussion explain explained report reported reports describe described conversation session
  summary summarize summarized message messages then later next finally first afterwards subsequently initially
  currently overall total main key point points include includes included including related various several regarding
  decided decision concluded conclusion confirm confirmed request requested proposed propose suggested suggest
  identified identify found find observed observe stated state states`)

/** After one of these the next words are denied. Compared before their endings are taken off. */
export const NEGATIONS = list(`
  not no never none nor neither without cannot nothing nobody nowhere
  nicht kein keine keinen keinem keiner nie niemals ohne
  pas jamais sans aucun aucune ni nunca sin ningún ninguna non mai senza
  не нет без никогда ни`)

/** Words by which what stands near them is denied without a negation: there, nothing is held against the text. */
export const SOFT_NEGATIONS = stems(`
  against avoid avoids avoided lack lacks lacking missing unable fails refuse refuses refused
  stop stops stopped skip skips skipped instead rather forbid forbids prevent prevents prevented except absent impossible
  unless exclude excludes excluded`)

const opposites: readonly (readonly [string, string])[] = [
  ['pass', 'fail'],
  ['passed', 'failed'],
  ['succeed', 'fail'],
  ['success', 'failure'],
  ['succeeded', 'failed'],
  ['enable', 'disable'],
  ['enabled', 'disabled'],
  ['increase', 'decrease'],
  ['increased', 'decreased'],
  ['raise', 'lower'],
  ['add', 'remove'],
  ['added', 'removed'],
  ['accept', 'reject'],
  ['accepted', 'rejected'],
  ['allow', 'forbid'],
  ['allowed', 'forbidden'],
  ['before', 'after'],
  ['open', 'close'],
  ['opened', 'closed'],
  ['start', 'stop'],
  ['started', 'stopped'],
  ['true', 'false'],
  ['valid', 'invalid'],
  ['safe', 'unsafe'],
  ['possible', 'impossible'],
  ['correct', 'wrong'],
  ['faster', 'slower'],
  ['larger', 'smaller'],
  ['more', 'less'],
  ['more', 'fewer'],
  ['higher', 'lower'],
  ['above', 'below'],
  ['first', 'last'],
  ['minimum', 'maximum'],
  ['upgrade', 'downgrade'],
  ['synchronous', 'asynchronous'],
  ['public', 'private'],
  ['always', 'never'],
  ['works', 'broken'],
  ['fixed', 'broken'],
]

/** Words that say the contrary of each other, by stem, both ways. */
export const OPPOSITES: ReadonlyMap<string, readonly string[]> = buildOpposites()

function buildOpposites(): Map<string, string[]> {
  const map = new Map<string, string[]>()
  for (const [a, b] of opposites) {
    for (const [from, to] of [
      [stem(a), stem(b)],
      [stem(b), stem(a)],
    ] as const) {
      const known = map.get(from) ?? []
      if (!known.includes(to)) known.push(to)
      map.set(from, known)
    }
  }
  return map
}
