import { useEffect, useState } from 'react'

const FEEDBACK_MS = 1200

export type CopyState = 'idle' | 'copied' | 'failed'

/** Copies text, which may have to be fetched first, and reports it for a moment. */
export function useCopy(): readonly [CopyState, (text: string | Promise<string>) => void] {
  const [state, setState] = useState<CopyState>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), FEEDBACK_MS)
    return () => clearTimeout(timer)
  }, [state])
  const copy = (text: string | Promise<string>) => {
    Promise.resolve(text)
      .then((known) => navigator.clipboard.writeText(known))
      .then(
        () => setState('copied'),
        () => setState('failed'),
      )
  }
  return [state, copy]
}
