import styles from './query-help.module.css'

const LINES = [
  { query: 'token refresh', meaning: 'both words; where too few texts have both, either of them' },
  { query: '"single flight"', meaning: 'exactly this phrase' },
  { query: 'refresh*', meaning: 'every word that begins so' },
  { query: 'timeout OR deadline NOT flaky', meaning: 'either of two, without a third' },
  { query: 'ECONNRESET (attempt 3/5)', meaning: 'with “literal”: these very characters; with “regex”: a pattern' },
] as const

/** The query language, in five lines that can be tried. */
export function QueryHelp({ onTry }: { readonly onTry: (query: string) => void }) {
  return (
    <div className={styles.help}>
      <h2>What was said, done or summarised</h2>
      <p>Text, tool arguments, tool results and reasoning of every message, and every summary.</p>
      <dl>
        {LINES.map(({ query, meaning }) => (
          <div key={query}>
            <dt>
              <button type="button" onClick={() => onTry(query)}>
                {query}
              </button>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
