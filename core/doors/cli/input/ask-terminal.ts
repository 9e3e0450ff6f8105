import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { askedTo, type Confirm, type Reach, reachText } from '#core/settings/confirmation.ts'

/** Perhaps nobody sits at the terminal: after this time, a page is told that nobody answered. */
const ANSWER_LIMIT_MS = 120_000

export type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** Asks at the terminal in which a host runs, one question after the other. Only the word "yes" grants anything. */
export function confirmAtTerminal({ input, output }: Terminal, limitMs = ANSWER_LIMIT_MS): Confirm {
  let last: Promise<unknown> = Promise.resolve()
  const ask = async (asked: readonly Reach[]) => {
    const lines = asked.map((reach) => `  - ${reachText(reach)}\n`).join('')
    output.write(`\nA page of LCM Inspector asks to ${askedTo(asked)}:\n${lines}Type "yes" to allow it: `)
    // The option `terminal` is left out, so that Ctrl-C stays a signal.
    const reader = createInterface({ input, terminal: false })
    try {
      const [line] = await once(reader, 'line', { signal: AbortSignal.timeout(limitMs) })
      const isGranted = String(line).trim().toLowerCase() === 'yes'
      output.write(isGranted ? 'Allowed.\n' : 'Refused.\n')
      return isGranted ? 'granted' : 'refused'
    } catch {
      output.write('Refused: there was no answer.\n')
      return 'refused'
    } finally {
      reader.close()
    }
  }
  return (asked) => {
    if (!input.isTTY || !output.isTTY) return Promise.resolve('nobody_to_ask')
    const answer = last.then(() => ask(asked))
    last = answer
    return answer
  }
}
