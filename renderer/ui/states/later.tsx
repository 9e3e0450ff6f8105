import { type ComponentType, startTransition, useEffect, useState } from 'react'

/**
 * A component whose code is fetched when it is first shown, with another one in its place until then. A failure is
 * thrown, so that the nearest error boundary reports it. React's `lazy` would wait: for 300 ms after one placeholder
 * was shown or replaced, it holds back what is to replace the next.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Waiting: ComponentType<Props> = Nothing,
): ComponentType<Props> {
  let known: Loaded<Props> | null = null
  return function Later(props) {
    const [loaded, setLoaded] = useState(known)
    const isWaiting = loaded === null
    useEffect(() => {
      if (!isWaiting) return
      let isLeft = false
      const show = (next: Loaded<Props>) => {
        known = next
        if (!isLeft) startTransition(() => setLoaded(next))
      }
      load().then(
        (Shown) => show({ Shown }),
        (error: unknown) => show({ error }),
      )
      return () => {
        isLeft = true
      }
    }, [isWaiting])
    if (loaded === null) return <Waiting {...props} />
    if ('error' in loaded) throw loaded.error
    return <loaded.Shown {...props} />
  }
}

type Loaded<Props> = { readonly Shown: ComponentType<Props> } | { readonly error: unknown }

const Nothing = () => null
